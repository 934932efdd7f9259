#include "node/nvidia/offer.h"

#include <algorithm>

#include "json/builder.h"
#include "kube/events.h"
#include "model/quantity.h"
#include "model/version.h"
#include "node/nvidia/devices.h"

namespace allot::node::nvidia {
namespace {

constexpr size_t kMaxText = 64;     // bytes of an attribute
constexpr size_t kMaxEntries = 32;  // attributes and capacities of a device
constexpr size_t kMaxTaints = 16;
// The API refuses a range of less than two steps (min + step <= value), and a step is a MiB.
constexpr int64_t kLeastSharedMib = 2;

struct Attribute {
  std::string name;
  std::string_view type;  // the API's field for it: string, version, int
  std::string text;
};

struct Capacity {
  std::string name, value;
  // What a claim takes by default, and what it can ask for. Empty: no policy.
  std::string fallback, min, max, step;
};

std::string Mebibytes(int64_t mib) { return StrCat(mib, "Mi"); }

// One device that is being built.
class Device {
 public:
  Device(std::string name, bool shared) : name_(std::move(name)), shared_(shared) {}

  void Text(std::string name, std::string_view text) {
    if (!text.empty()) attributes_.push_back({std::move(name), "string", kube::LimitText(text, kMaxText)});
  }
  // The server would refuse the whole slice because of one invalid version.
  void Version(std::string name, const std::string& text) {
    if (text.size() <= kMaxText && model::Version::Parse(text).ok()) attributes_.push_back({std::move(name), "version", text});
  }
  void Int(std::string name, int64_t value) { attributes_.push_back({std::move(name), "int", StrCat(value)}); }

  // A claim that names no amount takes all of it, so that it never shares a GPU without asking for a part.
  void Memory(int64_t mib) {
    const std::string whole = Mebibytes(mib);
    Add(shared_ ? Capacity{"memory", whole, whole, "1Mi", whole, "1Mi"} : Capacity{"memory", whole, "", "", "", ""});
  }
  // Each claim takes exactly one: less is raised to 1, and more fits no device.
  void Shares(int count) { Add({"shares", StrCat(count), "1", "1", "1", ""}); }
  // Capacities of a MIG device other than memory are shared in time and not divided. Without a policy, the first claim would take all of
  // them; with this policy a claim takes nothing of them unless it asks.
  void Engines(std::string name, int64_t count) {
    const std::string value = StrCat(count);
    Add(shared_ ? Capacity{std::move(name), value, "0", "0", value, ""} : Capacity{std::move(name), value, "", "", "", ""});
  }

  void Taint(DeviceTaint taint) { taints_.push_back(std::move(taint)); }

  void Write(json::Builder& b);

 private:
  void Add(Capacity capacity) {
    if (attributes_.size() + capacities_.size() < kMaxEntries) capacities_.push_back(std::move(capacity));
  }

  const std::string name_;
  const bool shared_;
  std::vector<Attribute> attributes_;
  std::vector<Capacity> capacities_;
  std::vector<DeviceTaint> taints_;
};

void WriteCapacity(json::Builder& b, const Capacity& capacity) {
  const auto text = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) b.SharedKey(key), b.String(value);
  };
  b.Key(capacity.name), b.StartObject();
  text("value", capacity.value);
  if (!capacity.fallback.empty()) {
    b.SharedKey("requestPolicy"), b.StartObject();
    text("default", capacity.fallback);
    b.SharedKey("validRange"), b.StartObject();
    text("min", capacity.min);
    text("max", capacity.max);
    text("step", capacity.step);
    b.EndObject(), b.EndObject();
  }
  b.EndObject();
}

void Device::Write(json::Builder& b) {
  std::sort(attributes_.begin(), attributes_.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
  std::sort(capacities_.begin(), capacities_.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
  std::sort(taints_.begin(), taints_.end());
  taints_.erase(std::unique(taints_.begin(), taints_.end()), taints_.end());
  if (taints_.size() > kMaxTaints) taints_.resize(kMaxTaints);

  b.StartObject();
  b.SharedKey("name"), b.String(name_);
  b.SharedKey("attributes"), b.StartObject();
  for (const Attribute& attribute : attributes_) {
    b.Key(attribute.name), b.StartObject(), b.SharedKey(attribute.type);
    attribute.type == "int" ? b.Number(attribute.text) : b.String(attribute.text);
    b.EndObject();
  }
  b.EndObject();
  if (!capacities_.empty()) {
    b.SharedKey("capacity"), b.StartObject();
    for (const Capacity& capacity : capacities_) WriteCapacity(b, capacity);
    b.EndObject();
  }
  if (!taints_.empty()) {
    b.SharedKey("taints"), b.StartArray();
    for (const DeviceTaint& taint : taints_) {
      b.StartObject(), b.SharedKey("key"), b.String(taint.key);
      if (!taint.value.empty()) b.SharedKey("value"), b.String(taint.value);
      b.SharedKey("effect"), b.String(taint.effect), b.EndObject();
    }
    b.EndArray();
  }
  if (shared_) b.SharedKey("allowMultipleAllocations"), b.Bool(true);
  b.EndObject();
}

// Attributes that a GPU and its MIG devices have in common.
void DescribeGpu(const device::nvidia::Gpu& gpu, Device& device) {
  device.Text("productName", gpu.product_name);
  device.Text("brand", gpu.brand);
  device.Text("architecture", gpu.architecture);
  device.Version("cudaComputeCapability", gpu.cuda_compute_capability);
  device.Version("driverVersion", gpu.driver_version);
  device.Version("cudaDriverVersion", gpu.cuda_driver_version);
  device.Text("addressingMode", gpu.addressing_mode);
  device.Text("resource.kubernetes.io/pciBusID", gpu.pci_bus_id);
  device.Text("resource.kubernetes.io/pcieRoot", gpu.pcie_root);
  if (gpu.numa_node) device.Int("resource.kubernetes.io/numaNode", *gpu.numa_node);
}

void DescribeMig(const device::nvidia::Gpu& gpu, const device::nvidia::MigDevice& mig, Device& device) {
  device.Text("type", "mig");
  device.Text("uuid", mig.uuid);
  device.Text("parentUUID", gpu.uuid);
  device.Text("profile", mig.profile);
  device.Engines("multiprocessors", mig.multiprocessors);
  device.Engines("copyEngines", mig.copy_engines);
  device.Engines("decoders", mig.decoders);
  device.Engines("encoders", mig.encoders);
  device.Engines("jpegEngines", mig.jpeg_engines);
  device.Engines("ofaEngines", mig.ofa_engines);
}

bool IsHeld(const device::nvidia::Gpu& gpu, const std::set<std::string, std::less<>>& held) {
  return held.contains(gpu.uuid) ||
         std::any_of(gpu.mig.begin(), gpu.mig.end(), [&](const device::nvidia::MigDevice& mig) { return held.contains(mig.uuid); });
}

void WriteDevice(const DeviceRef& ref, const std::string& name, const Policy& policy, const DeviceTaints& taints, json::Builder& b) {
  const int64_t memory = ref.memory_mib().value_or(0);
  const bool shared = policy.mode == Mode::kShared && memory >= kLeastSharedMib;
  Device device(name, shared);
  DescribeGpu(*ref.gpu, device);
  if (memory > 0) device.Memory(memory);
  if (shared && policy.max_sharers > 0) device.Shares(policy.max_sharers);
  if (ref.mig != nullptr) {
    DescribeMig(*ref.gpu, *ref.mig, device);
    // These come last, because the API's limit cuts the last ones.
    for (int i = 0; i < ref.mig->placement_size; ++i) device.Engines(StrCat("memorySlice", ref.mig->placement_start + i), 1);
  } else {
    device.Text("type", "gpu");
    device.Text("uuid", ref.gpu->uuid);
  }
  if (policy.cordoned) device.Taint({std::string(kCordonTaint), "", "NoSchedule"});
  for (const std::string* uuid : {&ref.gpu->uuid, &ref.uuid()}) {
    const auto found = taints.find(*uuid);
    if (found == taints.end()) continue;
    for (const DeviceTaint& taint : found->second) device.Taint(taint);
  }
  device.Write(b);
}

// In the order in which the scheduler should try them.
std::vector<DeviceRef> SortedDevices(std::span<const device::nvidia::Gpu> gpus) {
  std::vector<DeviceRef> devices;
  for (const device::nvidia::Gpu& gpu : gpus) {
    if (!gpu.mig_enabled) devices.push_back({&gpu, nullptr});
    for (const device::nvidia::MigDevice& mig : gpu.mig) devices.push_back({&gpu, &mig});
  }
  const auto place = [](const DeviceRef& ref) {
    return ref.mig == nullptr ? std::tuple(ref.gpu->minor, -1, -1, -1)
                              : std::tuple(ref.gpu->minor, ref.mig->placement_start, ref.mig->gpu_instance, ref.mig->compute_instance);
  };
  std::stable_sort(devices.begin(), devices.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return devices;
}

}  // namespace

Offer MakeOffer(const OfferInput& input) {
  Offer offer;
  offer.policies = input.offered;  // including GPUs that are away for a moment, since their holders keep the policy
  for (const device::nvidia::Gpu& gpu : input.gpus) {
    const auto last = input.offered.find(gpu.uuid);
    const Policy wanted = PolicyFor(input.config, input.node_name, gpu);
    offer.policies[gpu.uuid] = Settle(wanted, last != input.offered.end() ? &last->second : nullptr, IsHeld(gpu, input.held));
  }
  std::vector<std::pair<std::string, DeviceRef>> devices;
  std::set<std::string> names;
  for (const DeviceRef& ref : SortedDevices(input.gpus)) {
    std::string name = ref.mig != nullptr ? DeviceName(*ref.gpu, *ref.mig) : DeviceName(*ref.gpu);
    // The server refuses a slice that has a name twice. Compute instances of one GPU instance can have the same name.
    if (!names.insert(name).second) {
      offer.problems.push_back(StrCat(ref.uuid(), " is not offered: another device has its name, ", name));
      continue;
    }
    devices.emplace_back(std::move(name), ref);
  }
  offer.slices = WriteSlices(devices.size(), [&](size_t i, json::Builder& b) {
    const auto& [name, ref] = devices[i];
    WriteDevice(ref, name, offer.policies[ref.gpu->uuid], input.taints, b);
  });
  return offer;
}

void ReadPolicies(const json::Value& devices, Policies& policies) {
  if (!devices.IsArray()) return;
  for (const json::Value& device : devices.Items()) {
    const json::Value& attributes = device["attributes"];
    const json::Value& uuid = attributes[attributes["parentUUID"].IsNull() ? "uuid" : "parentUUID"]["string"];
    if (!uuid.IsString()) continue;
    Policy policy;
    const json::Value& shared = device["allowMultipleAllocations"];
    policy.mode = json::IsTrue(shared) ? Mode::kShared : Mode::kExclusive;
    if (const json::Value& shares = device["capacity"]["shares"]["value"]; policy.mode == Mode::kShared && shares.IsString()) {
      const Result<model::Quantity> count = model::Quantity::Parse(shares.AsString());
      if (count.ok()) policy.max_sharers = static_cast<int>(count->Value().value_or(0));
    }
    if (const json::Value& taints = device["taints"]; taints.IsArray()) {
      policy.cordoned = std::any_of(taints.Items().begin(), taints.Items().end(), [](const json::Value& taint) {
        return taint["key"].IsString() && taint["key"].AsString() == kCordonTaint;
      });
    }
    policies[std::string(uuid.AsString())] = policy;
  }
}

}  // namespace allot::node::nvidia
