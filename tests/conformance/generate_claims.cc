#include <algorithm>
#include <map>
#include <string>

#include "generate_allocator.h"

namespace allot::conformance {

namespace {

constexpr int64_t kMostSteps = 20'000;  // an upper bound for Kubernetes' search

std::string Domain(const std::string& driver) { return "device.attributes['" + driver + "']"; }

Json CelSelector(const std::string& expression) { return Object().Set("cel", Object().Set("expression", Text(expression))); }

Json OpaqueConfig(Dice& dice, const Profile& profile, const std::string& name) {
  const Json parameters = Object().Set("kind", Text("GpuConfig")).Set("name", Text(name)).Set("replicas", Number(dice.Below(5)));
  return Object().Set("driver", Text(dice.Pick(profile.drivers))).Set("parameters", parameters);
}

// The classes that a request may name, for its driver.
std::string ClassOf(Dice& dice, const Profile& profile, const std::string& driver) {
  if (dice.PerMille(6)) return dice.Percent(60) ? "no-such-class" : "";
  switch (dice.Weighted({65, 15, profile.tight ? 15 : 4, profile.shared_devices > 0 ? 15 : 1})) {
    case 0: return driver;
    case 1: return "any";
    case 2: return "large." + driver;
    default: return "shared." + driver;
  }
}

// Makes one claim after the other, within the number of steps that the search may take.
class ClaimMaker {
 public:
  ClaimMaker(Dice& dice, const Profile& profile, const Cluster& cluster) : dice_(dice), profile_(profile), cluster_(cluster) {
    for (const Device& device : cluster.devices) visible_ += device.visible ? 1 : 0;
  }

  Json Make(int number) {
    ++claims_;
    names_.clear();
    subrequests_.clear();
    requests_.clear();
    const bool several =
        profile_.quirk == Quirk::kAdminTakes || profile_.quirk == Quirk::kConfigRepeats || profile_.quirk == Quirk::kShareWithoutAmount;
    const bool single = profile_.quirk == Quirk::kDistinctForgets || profile_.quirk == Quirk::kListsShrink;
    const int wanted = several ? dice_.Between(2, 3) : single ? 1 : dice_.Weighted({60, 28, 8, 4}) + 1;
    for (int i = 0; i < wanted && (i == 0 || steps_ < kMostSteps); ++i) AddRequest(i);

    Object devices;
    devices.SetUnlessEmpty("requests", requests_);
    devices.SetUnlessEmpty("constraints", Constraints());
    devices.SetUnlessEmpty("config", Configs());
    const std::string name = dice_.Percent(90) ? "claim-" + std::to_string(number) : "train-" + std::to_string(number) + "-gpu";
    Object metadata;
    metadata.Set("name", Text(name)).SetIf(dice_.Percent(50), "namespace", Text("default"));
    return Object().Set("metadata", metadata).Set("spec", Object().Set("devices", devices));
  }

  bool Full() const { return steps_ >= kMostSteps; }

 private:
  void AddRequest(int number) {
    const std::string name = "req-" + std::to_string(number);
    const bool list = dice_.Percent(profile_.Has(kPrioritizedList) ? (profile_.quirk == Quirk::kManyDevices ? 50 : 18) : 1);
    Object request;
    request.Set("name", Text(name));
    if (!list) {
      int64_t ways = 1;
      const Json exactly = Body({}, number, ways);
      request.Set("exactly", exactly);
      steps_ *= ways;
      names_.push_back(name);
    } else {
      std::vector<Json> alternatives;
      int64_t ways = 0;
      const int count = dice_.Weighted({20, 40, 30, 10}) + 1;
      for (int i = 0; i < count; ++i) {
        const std::string sub = "alt-" + std::to_string(i);
        int64_t own = 1;
        alternatives.push_back(Body(sub, number, own));
        ways += own;
        subrequests_.push_back(name + '/' + sub);
      }
      request.Set("firstAvailable", List(alternatives));
      steps_ *= ways;
      names_.push_back(name);
    }
    requests_.push_back(request);
  }

  // The body of an exact request; with a name, of one of several alternatives.
  Json Body(const std::string& sub, int number, int64_t& ways) {
    const std::string driver = dice_.Pick(profile_.drivers);
    Object body;
    body.SetIf(!sub.empty(), "name", Text(sub));
    const bool plainest = profile_.quirk == Quirk::kManyDevices || profile_.quirk == Quirk::kDefaultByNotation;
    const int plain = plainest ? 100 : profile_.quirk != Quirk::kNone ? 85 : 0;
    const std::string class_name = dice_.Percent(plain) ? driver : ClassOf(dice_, profile_, driver);
    body.SetIf(!class_name.empty(), "deviceClassName", Text(class_name));
    SetCount(body, ways);
    SetSelectors(body, driver, number);
    if (sub.empty()) SetAdminAccess(body, number);
    SetTolerations(body);
    SetCapacity(body);
    return body;
  }

  void SetCount(Object& body, int64_t& ways) {
    if (dice_.PerMille(2)) {
      body.Set("allocationMode", Text("Half"));
      return;
    }
    if (dice_.Percent(profile_.quirk == Quirk::kAllSkipsFull ? 70 : 9)) {
      body.Set("allocationMode", Text("All"));
      return;
    }
    int count = dice_.Weighted({76, 17, 4, 3}) + 1;
    if (profile_.quirk == Quirk::kDistinctForgets) count = dice_.Between(3, 4);
    if (profile_.quirk == Quirk::kListsShrink) count = dice_.Between(3, 4);
    if (profile_.quirk == Quirk::kManyDevices) count = dice_.Pick({1, 4, 10, 16, 17, 20, 30, 31, 32, 33});
    if (dice_.PerMille(3)) count = dice_.Pick({33, 500});
    // Ask for fewer devices if the search would take too long. Large counts occur only if the search succeeds or stops at once.
    while (count > 1 && count <= 4 && steps_ * Ways(count) > kMostSteps) --count;
    if (count <= 4) ways = Ways(count);
    body.Set("allocationMode", Text("ExactCount")).Set("count", Number(count));
  }

  // The number of sets of devices that the search can try for a request.
  int64_t Ways(int count) const {
    int64_t ways = 1;
    for (int i = 0; i < count; ++i) {
      ways *= std::max(1, visible_ - (profile_.stable ? 0 : i));
      if (!profile_.stable) ways = std::max<int64_t>(1, ways / (i + 1));
    }
    return ways;
  }

  void SetSelectors(Object& body, const std::string& driver, int number) {
    std::vector<Json> selectors;
    // Earlier requests take the first devices. A later request for these makes the search backtrack.
    if (profile_.tight && (number > 0 || claims_ > 1) && dice_.Percent(60)) {
      const std::string compare = dice_.Pick({"<", "==", "<="});
      const std::string index = Domain(driver) + ".index " + compare + ' ' + std::to_string(dice_.Between(compare == "<" ? 1 : 0, 2));
      body.Set("selectors", List({CelSelector(profile_.drivers.size() > 1 ? "device.driver == '" + driver + "' && " + index : index)}));
      return;
    }
    if (!dice_.Percent(profile_.selectors)) return;
    for (int more = dice_.Weighted({85, 15}) + 1; more > 0; --more) {
      selectors.push_back(dice_.PerMille(2) ? Json(Object()) : CelSelector(Selector(dice_, profile_, cluster_, driver)));
    }
    body.Set("selectors", List(selectors));
  }

  void SetAdminAccess(Object& body, int number) {
    int chance = profile_.Has(kAdminAccess) ? 5 : 1;
    if (profile_.quirk == Quirk::kAdminTakes) chance = number == 0 ? 90 : 30;
    if (dice_.Percent(chance)) {
      body.Set("adminAccess", Flag(true));
    } else if (dice_.PerMille(8)) {
      body.Set("adminAccess", Flag(false));
    }
  }

  void SetTolerations(Object& body) {
    if (!dice_.Percent(profile_.taints > 0 ? 45 : 3)) return;
    std::vector<Json> tolerations;
    for (int more = dice_.Between(1, 2); more > 0; --more) {
      Object toleration;
      if (!dice_.Percent(15)) toleration.Set("key", Text(dice_.Pick({"gpu.example.com/unhealthy", "maintenance", "xid"})));
      if (dice_.Percent(50)) {
        toleration.Set("operator", Text(dice_.PerMille(20) ? "Like" : "Exists"));
      } else {
        toleration.SetIf(dice_.Percent(70), "operator", Text("Equal"));
        if (dice_.Percent(70)) toleration.Set("value", Text(dice_.Pick({"79", "soon", "yes"})));
      }
      if (dice_.Percent(50)) toleration.Set("effect", Text(dice_.Pick({"NoSchedule", "NoExecute"})));
      toleration.SetIf(dice_.Percent(10), "tolerationSeconds", Number(300));
      tolerations.push_back(toleration);
    }
    body.Set("tolerations", List(tolerations));
  }

  void SetCapacity(Object& body) {
    if (!dice_.Percent(profile_.Has(kConsumableCapacity) ? profile_.capacities : 1)) return;
    Object requests;
    if (!dice_.Percent(8)) {
      int64_t mib = 0;
      std::string text;
      if (!cluster_.defaults.empty() && dice_.Percent(profile_.quirk == Quirk::kDefaultByNotation ? 75 : 10)) {
        mib = dice_.Pick(cluster_.defaults);
      } else {
        mib = SomeMemory();
      }
      text = MemoryText(dice_, mib);
      if (dice_.Percent(5)) text = dice_.Pick({"0", "1500M", "0.5Gi", "1500m", "-1Gi", "100Gi", "6G", "1e9", "2.5Gi", "1"});
      requests.Set(dice_.Percent(2) ? dice_.Pick(profile_.drivers) + "/memory" : "memory", Text(text));
    }
    if (dice_.Percent(8)) requests.Set("cores", Text(CountText(dice_, dice_.Pick({500, 1000, 1500, 10000, 30000}))));
    if (dice_.PerMille(10)) requests.Set("fans", Text("1"));
    Object capacity;
    capacity.SetIf(!requests.empty(), "requests", requests);
    body.Set("capacity", capacity);
  }

  // A part of the memory of a random device.
  int64_t SomeMemory() {
    const Device& device = cluster_.devices[dice_.Index(cluster_.devices.size())];
    for (const Device::Capacity& capacity : device.capacity) {
      if (!IsMemory(capacity.name)) continue;
      const int eighths = dice_.Pick({1, 1, 2, 2, 2, 3, 4, 4, 6, 8, 9});
      const int64_t part = capacity.amount * eighths / 8;
      return dice_.Percent(80) ? part / 512 * 512 : part;
    }
    return 1024;
  }

  std::vector<std::string> SomeRequests() {
    std::vector<std::string> some;
    if (!subrequests_.empty() && dice_.Percent(35)) {  // only alternatives
      for (const std::string& name : subrequests_) {
        if (dice_.Percent(65)) some.push_back(name);
      }
      return some;
    }
    for (const std::string& name : names_) {
      if (dice_.Percent(65)) some.push_back(name);
    }
    if (!subrequests_.empty() && dice_.Percent(40)) some.push_back(dice_.Pick(subrequests_));
    if (dice_.PerMille(15)) some.push_back("no-such-request");
    return some;
  }

  std::vector<Json> Constraints() {
    std::vector<Json> constraints;
    const bool lists = profile_.quirk == Quirk::kListsShrink;
    const bool distinct_quirk = profile_.quirk == Quirk::kDistinctForgets;
    if (!lists && !distinct_quirk && !dice_.Percent(profile_.constraints)) return constraints;
    for (int more = dice_.Weighted({80, 20}) + 1; more > 0; --more) {
      const std::string driver = dice_.Pick(profile_.drivers);
      std::vector<std::string> shared = {
          "resource.kubernetes.io/pcieRoot", driver + "/numa", driver + "/productName", driver + "/architecture",
          driver + "/cudaComputeCapability", driver + "/ecc",  "link.example.com/group"};
      std::vector<std::string> different = {driver + "/uuid", driver + "/index", driver + "/numa", "resource.kubernetes.io/pcieRoot",
                                            driver + "/productName"};
      if (lists || (profile_.Has(kListTypeAttributes) && dice_.Percent(60))) shared = different = {driver + "/links"};
      if (distinct_quirk) different = {driver + "/numa"};
      const bool distinct = distinct_quirk || dice_.Percent(profile_.stable ? 3 : lists ? 15 : 40);
      Object constraint;
      if (dice_.Percent(55)) {
        const std::vector<std::string> some = SomeRequests();
        constraint.SetIf(!some.empty(), "requests", Texts(some));
      }
      if (!dice_.PerMille(4)) {
        constraint.Set(distinct ? "distinctAttribute" : "matchAttribute",
                       Text(dice_.PerMille(15) ? driver + "/nothing" : dice_.Pick(distinct ? different : shared)));
      }
      constraints.push_back(constraint);
    }
    return constraints;
  }

  std::vector<Json> Configs() {
    std::vector<Json> configs;
    const bool quirk = profile_.quirk == Quirk::kConfigRepeats;
    if (!quirk && !dice_.Percent(12)) return configs;
    for (int more = dice_.Between(1, 2); more > 0; --more) {
      Object config;
      const std::vector<std::string> some = quirk && dice_.Percent(70) ? names_ : SomeRequests();
      config.SetIf(!some.empty(), "requests", Texts(some));
      configs.push_back(config.Set("opaque", OpaqueConfig(dice_, profile_, "claim-config-" + std::to_string(more))));
    }
    return configs;
  }

  Dice& dice_;
  const Profile& profile_;
  const Cluster& cluster_;
  int visible_ = 0;
  int claims_ = 0;
  int64_t steps_ = 1;
  std::vector<std::string> names_;
  std::vector<std::string> subrequests_;
  std::vector<Json> requests_;
};

}  // namespace

std::string Selector(Dice& dice, const Profile& profile, const Cluster& cluster, const std::string& driver) {
  const std::string d = Domain(driver);
  const std::string memory = "device.capacity['" + driver + "'].memory";
  const std::string model = cluster.models.empty() ? "none" : dice.Pick(cluster.models);
  std::string text;
  switch (dice.Weighted({10, 12, 6, 12, 8, 8, 6, 6, 6, 8, 6, 4, 4})) {
    case 0: text = "device.driver == '" + driver + "'"; break;
    case 1: text = d + ".productName == '" + model + "'"; break;
    case 2: text = d + ".productName.lowerAscii().contains('" + dice.Pick({"rtx", "nvidia", "a100", "flex"}) + "')"; break;
    case 3: {
      const std::string compare = dice.Pick({">=", "<", "=="});
      text = memory + ".compareTo(quantity('" + dice.Pick({"12Gi", "16Gi", "20Gi", "23034Mi", "40Gi"}) + "')) " + compare + " 0";
      break;
    }
    case 4: {
      const std::string compare = dice.Pick({"<", ">=", "==", "!="});
      text = d + ".index " + compare + ' ' + std::to_string(dice.Below(4));
      break;
    }
    case 5: text = d + ".cudaComputeCapability.isGreaterThan(semver('" + dice.Pick({"8.0.0", "8.6.0", "8.8.0"}) + "'))"; break;
    case 6: text = "'ecc' in " + d + " && " + d + ".ecc"; break;
    case 7: text = "!has(" + d + ".ecc) || " + d + ".ecc == " + dice.Pick({"true", "false"}); break;
    case 8: text = dice.Percent(50) ? "device.allowMultipleAllocations" : "!device.allowMultipleAllocations"; break;
    case 9: text = "device.attributes['resource.kubernetes.io'].pcieRoot == 'pci0000:" + std::string(dice.Pick({"00", "80"})) + "'"; break;
    case 10: {
      const std::string first = std::to_string(dice.Below(3));
      text = d + ".index in [" + first + ", " + std::to_string(dice.Below(5)) + ", 7]";
      break;
    }
    case 11: text = d + ".numa == " + std::to_string(dice.Below(2)) + " || " + d + ".uuid.endsWith('1')"; break;
    default:
      if (profile.Has(kListTypeAttributes)) {
        text = d + ".links.includes('link-" + std::to_string(dice.Below(4)) + "')";
      } else {
        text = memory + ".isGreaterThan(quantity('8Gi')) && " + d + ".productName.startsWith('NVIDIA')";
      }
  }
  if (dice.PerMille(12))
    text = dice.Pick({"device.attributes['nobody'].nothing == 1", "device.driver.matches(device.driver) && 1 / 0 == 1"});
  if (dice.PerMille(6)) text = dice.Pick({"noSuchVariable", "device.driver", "device.driver ==", "device.attributes.foo(1)"});
  // A selector fails on a device of another driver unless it checks the driver first.
  return profile.drivers.size() > 1 && dice.Percent(92) ? "device.driver == '" + driver + "' && (" + text + ')' : text;
}

std::vector<Json> GenerateClasses(Dice& dice, const Profile& profile) {
  std::vector<Json> classes;
  const auto add = [&](const std::string& name, const std::vector<std::string>& selectors) {
    Object spec;
    std::vector<Json> list;
    for (const std::string& selector : selectors) list.push_back(CelSelector(selector));
    spec.SetUnlessEmpty("selectors", list);
    std::vector<Json> configs;
    for (int more = dice.Weighted({65, 25, 10}); more > 0; --more) {
      configs.push_back(Object().Set("opaque", OpaqueConfig(dice, profile, name + '-' + std::to_string(more))));
    }
    spec.SetUnlessEmpty("config", configs);
    classes.push_back(Object().Set("metadata", Object().Set("name", Text(name))).Set("spec", spec));
  };
  add("any", {});
  for (const std::string& driver : profile.drivers) {
    const std::string own = "device.driver == '" + driver + "'";
    const std::string memory = "device.capacity['" + driver + "'].memory";
    add(driver, {own});
    add("large." + driver, {own, "'memory' in device.capacity['" + driver + "'] && " + memory + ".compareTo(quantity('20Gi')) >= 0"});
    add("shared." + driver, {own + " && device.allowMultipleAllocations"});
  }
  return classes;
}

std::vector<Json> GenerateClaims(Dice& dice, const Profile& profile, const Cluster& cluster) {
  ClaimMaker maker(dice, profile, cluster);
  std::vector<Json> claims;
  const int count = profile.quirk == Quirk::kManyDevices ? 1 : dice.Weighted({72, 21, 5, 2}) + 1;
  for (int i = 0; i < count && !maker.Full(); ++i) claims.push_back(maker.Make(i));
  return claims;
}

}  // namespace allot::conformance
