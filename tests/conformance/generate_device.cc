#include <algorithm>

#include "generate_allocator.h"

namespace allot::conformance {

namespace {

struct Model {
  const char* driver;
  const char* name;
  const char* family;
  const char* version;
  int memory;  // MiB
  int cores;
};

constexpr Model kModels[] = {
    {"gpu.nvidia.com", "NVIDIA GeForce RTX 3090", "Ampere", "8.6.0", 24576, 82},
    {"gpu.nvidia.com", "NVIDIA GeForce RTX 3060", "Ampere", "8.6.0", 12288, 28},
    {"gpu.nvidia.com", "NVIDIA L4", "Ada Lovelace", "8.9.0", 23034, 58},
    {"gpu.nvidia.com", "NVIDIA A100-SXM4-40GB", "Ampere", "8.0.0", 40960, 108},
    {"gpu.nvidia.com", "NVIDIA H100 80GB HBM3", "Hopper", "9.0.0", 81559, 132},
    {"gpu.intel.com", "Flex 170", "Data Center Flex", "1.0.0", 16384, 32},
    {"gpu.intel.com", "Max 1100", "Data Center Max", "1.1.0", 49152, 56},
    {"cpu.example.com", "EPYC 9654", "Genoa", "4.0.0", 2048, 96},
};

Json AttributeValue(Dice& dice, const Profile& profile, const Json& value, const char* kind) {
  // A list instead of one value. Without the feature gate every selector fails on it; with the gate, most of those that use the attribute.
  if (dice.PerMille(profile.odd_values)) {
    std::vector<Json> values = {value};
    const std::string list = std::string(kind) + 's';
    for (int more = dice.Below(3); more > 0; --more) {
      if (list == "strings") values.push_back(Text(dice.Pick({"pci0000:00", "pci0000:80", "x", "y"})));
      if (list == "ints") values.push_back(Number(dice.Below(4)));
      if (list == "bools") values.push_back(Flag(dice.Percent(50)));
      if (list == "versions") values.push_back(Text(dice.Pick({"8.6.0", "9.0.0", "1.0.0"})));
    }
    return Object().Set(list, List(values));
  }
  if (dice.PerMille(profile.odd_values / 4)) return Object();  // a kind of value of a future version
  return Object().Set(kind, value);
}

class Attributes {
 public:
  Attributes(Dice& dice, const Profile& profile, std::string driver) : dice_(dice), profile_(profile), driver_(std::move(driver)) {}

  void Add(const std::string& name, const char* kind, const Json& value, int missing_percent) {
    if (dice_.Percent(missing_percent)) return;
    const bool qualified = name.find('/') != std::string::npos;
    const std::string full = !qualified && dice_.Percent(8) ? driver_ + '/' + name : name;
    attributes_.Set(full, AttributeValue(dice_, profile_, value, kind));
  }

  const Object& value() const { return attributes_; }

 private:
  Dice& dice_;
  const Profile& profile_;
  const std::string driver_;
  Object attributes_;
};

Object GenerateAttributes(Dice& dice, const Profile& profile, const Device& device, const Model& model, int index) {
  // An error stops the whole search, so attributes are missing only in cases with odd values.
  const int missing = profile.odd_values > 0 ? 4 : 0;
  Attributes all(dice, profile, device.driver);
  all.Add("productName", "string", Text(model.name), missing);
  all.Add("architecture", "string", Text(model.family), 30);
  all.Add("cudaComputeCapability", "version", Text(dice.PerMille(profile.odd_values / 2) ? "8.6" : model.version), missing);
  all.Add("index", "int", Number(index), missing);
  all.Add("uuid", "string", Text("GPU-" + device.pool + '-' + std::to_string(index)), missing);
  all.Add("ecc", "bool", Flag(model.cores > 50), 40);
  all.Add("numa", "int", Number(profile.quirk == Quirk::kDistinctForgets ? index % 2 : index / 2 % 2), missing);
  all.Add("resource.kubernetes.io/pcieRoot", "string", Text(index % 4 < 2 ? "pci0000:00" : "pci0000:80"), missing);
  all.Add("link.example.com/group", "int", Number(dice.Below(3)), 50);
  if (profile.Has(kListTypeAttributes)) {
    std::vector<Json> links;
    for (int link = 0; link < 4; ++link) {
      if (dice.Percent(45)) links.push_back(Text("link-" + std::to_string(link)));
    }
    Object value;
    if (links.empty()) {
      value.Set("string", Text("link-0"));
    } else {
      value.Set("strings", List(links));
    }
    if (!dice.Percent(5)) return Object(all.value()).Set("links", value);
  }
  return all.value();
}

int64_t Multiple(Dice& dice, int64_t unit, int64_t most) {
  const int64_t times = std::max<int64_t>(1, most / unit);
  return unit * (1 + static_cast<int64_t>(dice.Index(static_cast<size_t>(times))));
}

// Makes policies as drivers publish them, and odd ones that the API server would refuse but the allocator must accept.
class PolicyMaker {
 public:
  PolicyMaker(Dice& dice, const Profile& profile, Cluster& cluster, const std::string& name, int64_t value)
      : dice_(dice), cluster_(cluster), name_(name), value_(value) {
    unit_ = IsMemory(name) ? dice.Pick({512, 1024, 2048, 4096}) : dice.Pick({500, 1000, 2000, 10000});
    const bool quirk = profile.quirk == Quirk::kDefaultByNotation;
    odd_ = quirk || dice.Percent(12);
    // A default that the policy forbids: it is valid only because it is the default.
    beyond_ = odd_ && dice.Percent(quirk ? 75 : 40);
    no_default_ = !quirk && dice.Percent(10);
  }

  Json Make() {
    switch (dice_.Weighted({15, 35, 50})) {
      case 0: SetDefault(Multiple(dice_, unit_, value_ / 2)); break;
      case 1: MakeValues(); break;
      default: MakeRange();
    }
    return policy_;
  }

 private:
  Json Amount(int64_t of) { return Text(AmountText(dice_, name_, of)); }

  void SetDefault(int64_t amount) {
    if (no_default_) return;
    if (odd_ && !beyond_ && dice_.Percent(60)) amount += unit_ / 2 + dice_.Below(3) * unit_;
    if (IsMemory(name_)) cluster_.defaults.push_back(amount);
    policy_.Set("default", Amount(amount));
  }

  void MakeValues() {
    std::vector<int64_t> values;
    const int64_t most = beyond_ ? value_ / 2 : value_;
    for (int64_t v = unit_; v <= most && values.size() < 6; v *= 2) values.push_back(v);
    if (values.empty()) values.push_back(most);
    SetDefault(beyond_ ? values.back() + unit_ / 2 : dice_.Pick(values));
    if (odd_ && dice_.Percent(30)) dice_.Shuffle(values);
    std::vector<Json> list;
    for (const int64_t v : values) list.push_back(Amount(v));
    policy_.Set("validValues", List(list));
  }

  void MakeRange() {
    const int64_t least = dice_.Percent(odd_ ? 30 : 5) ? 0 : unit_;
    const int64_t most = Multiple(dice_, unit_, beyond_ ? value_ / 2 : value_);
    const bool step = dice_.Percent(beyond_ ? 25 : 60);
    SetDefault(beyond_ ? most + dice_.Pick({unit_, unit_ / 2, 2 * unit_}) : least + unit_ * dice_.Below(3));
    Object range;
    if (step || !dice_.Percent(5)) range.Set("min", Amount(least));
    if (beyond_ || dice_.Percent(65)) range.Set("max", Amount(odd_ && dice_.Percent(30) ? most + unit_ / 3 : most));
    // With a step of 0 Kubernetes would divide by zero.
    if (step) range.Set("step", Amount(odd_ && dice_.Percent(50) ? std::max<int64_t>(1, unit_ * 3 / 4) : unit_));
    policy_.Set("validRange", range);
  }

  Dice& dice_;
  Cluster& cluster_;
  const std::string name_;
  const int64_t value_;
  int64_t unit_ = 0;
  bool odd_ = false;
  bool beyond_ = false;
  bool no_default_ = false;
  Object policy_;
};

Object GenerateCapacity(Dice& dice, const Profile& profile, Cluster& cluster, Device& device, const Model& model) {
  Object all;
  if (profile.puzzle) {
    device.capacity.push_back({"memory", model.memory});
    return all.Set("memory", Object().Set("value", Text(MemoryText(dice, model.memory))));
  }
  const auto add = [&](const std::string& name, int64_t amount) {
    Object capacity;
    capacity.Set("value", Text(AmountText(dice, name, amount)));
    const int chance = profile.quirk == Quirk::kDefaultByNotation ? 100 : profile.quirk == Quirk::kManyDevices ? 0 : device.shared ? 55 : 1;
    if (dice.Percent(chance)) capacity.Set("requestPolicy", PolicyMaker(dice, profile, cluster, name, amount).Make());
    all.Set(name, capacity);
    device.capacity.push_back({name, amount});
  };
  if (profile.quirk == Quirk::kShareWithoutAmount && dice.Percent(55)) return all;
  if (!dice.Percent(2)) {
    const std::string name = dice.Percent(3) ? device.driver + "/memory" : "memory";
    add(name, dice.Percent(1) ? 0 : model.memory);
  }
  if (profile.quirk != Quirk::kDefaultByNotation && dice.Percent(25)) add("cores", model.cores * 1000);
  if (dice.Percent(6)) add("resource.example.com/bandwidth", dice.Pick({1500, 10000, 2500}));
  return all;
}

std::vector<Json> GenerateTaints(Dice& dice, const Profile& profile) {
  std::vector<Json> taints;
  if (!dice.Percent(profile.taints)) return taints;
  for (int more = dice.Between(1, 2); more > 0; --more) {
    Object taint;
    taint.Set("key", Text(dice.Pick({"gpu.example.com/unhealthy", "maintenance", "xid"})));
    if (dice.Percent(60)) taint.Set("value", Text(dice.Pick({"79", "soon", "yes"})));
    taint.Set("effect", Text(dice.Pick({"NoSchedule", "NoSchedule", "NoExecute", "NoExecute", "None", "PreferNot"})));
    taints.push_back(taint);
  }
  return taints;
}

const Model& ModelOf(std::string_view driver, int position) {
  for (const Model& model : kModels) {
    if (driver == model.driver && position-- == 0) return model;
  }
  return kModels[0];
}

}  // namespace

int Models(std::string_view driver) {
  return static_cast<int>(std::count_if(std::begin(kModels), std::end(kModels), [&](const Model& m) { return driver == m.driver; }));
}

Object GenerateDevice(Dice& dice, const Profile& profile, Cluster& cluster, Device& device, int model, int index) {
  const Model& row = ModelOf(device.driver, model);
  if (std::find(cluster.models.begin(), cluster.models.end(), row.name) == cluster.models.end()) cluster.models.push_back(row.name);
  Object object;
  object.Set("name", Text(device.name));
  const Object attributes = GenerateAttributes(dice, profile, device, row, index);
  object.SetIf(!attributes.empty(), "attributes", attributes);
  const Object capacity = GenerateCapacity(dice, profile, cluster, device, row);
  object.SetIf(!capacity.empty(), "capacity", capacity);
  if (device.shared) object.Set("allowMultipleAllocations", Flag(true));
  if (!device.shared && dice.Percent(5)) object.Set("allowMultipleAllocations", Flag(false));
  object.SetUnlessEmpty("taints", GenerateTaints(dice, profile));
  if (dice.Percent(profile.bindings)) {
    object.Set("bindingConditions", Texts({"example.com/attached"}));
    object.SetIf(dice.Percent(80), "bindingFailureConditions", Texts({"example.com/failed", "example.com/lost"}));
  }
  object.SetIf(dice.Percent(profile.bindings / 2), "bindsToNode", Flag(true));
  return object;
}

}  // namespace allot::conformance
