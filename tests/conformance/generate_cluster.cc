#include <algorithm>
#include <string>

#include "generate_allocator.h"

namespace allot::conformance {

namespace {

enum class Place { kLocal, kOther, kAllNodes, kSelector, kPerDevice, kNowhere };

// A slice before it is written.
struct Draft {
  Place place = Place::kLocal;
  std::string other = kOtherNodes[0];
  std::vector<Json> devices;
  std::vector<Json> counters;
  int64_t generation = 1;
  int64_t miscount = 0;  // added to resourceSliceCount
};

struct Pool {
  std::string driver, name;
  Place place = Place::kLocal;
  std::vector<Draft> drafts;
};

// An error in a pool.
enum class Trouble {
  kNone,
  kStale,             // has slices of an older generation
  kHalfUpdated,       // has only one slice of a newer generation
  kUpdatedElsewhere,  // the newer generation has no devices for this node
  kIncomplete,
  kDuplicateName,
  kUnknownSet,
  kUnknownCounter,
  kDuplicateSet,
  kMiscounted,
  kNowhere,  // a slice without a node field
};

Trouble RollTrouble(Dice& dice, const Profile& profile) {
  if (!dice.Percent(profile.trouble)) return Trouble::kNone;
  switch (dice.Weighted({22, 10, 16, 12, 12, 8, 8, 5, 5, 4})) {
    case 0: return Trouble::kStale;
    case 1: return Trouble::kHalfUpdated;
    case 2: return Trouble::kUpdatedElsewhere;
    case 3: return Trouble::kIncomplete;
    case 4: return Trouble::kDuplicateName;
    case 5: return Trouble::kUnknownSet;
    case 6: return Trouble::kUnknownCounter;
    case 7: return Trouble::kDuplicateSet;
    case 8: return Trouble::kMiscounted;
    default: return Trouble::kNowhere;
  }
}

void SetPlace(Dice& dice, Object& to, Place place, const std::string& other, bool device) {
  switch (place) {
    case Place::kLocal: to.Set("nodeName", Text(kNode)); break;
    case Place::kOther: to.Set("nodeName", Text(other)); break;
    case Place::kAllNodes: to.Set("allNodes", Flag(true)); break;
    case Place::kSelector: to.Set("nodeSelector", NodeSelector(dice)); break;
    case Place::kPerDevice:
      if (!device) to.Set("perDeviceNodeSelection", Flag(true));
      break;
    case Place::kNowhere: break;
  }
}

// Makes the devices of one pool, and the counters that its partitions consume.
class PoolMaker {
 public:
  PoolMaker(Dice& dice, const Profile& profile, Cluster& cluster, Pool& pool)
      : dice_(dice), profile_(profile), cluster_(cluster), pool_(pool) {}

  void Make() {
    const bool partitioned = dice_.Percent(profile_.partitions);
    const Trouble trouble = RollTrouble(dice_, profile_);
    if (partitioned) {
      MakePartitions(trouble);
    } else {
      const int count = profile_.quirk == Quirk::kManyDevices ? dice_.Between(33, 40)
                                                              : dice_.Between((profile_.most_devices + 1) / 2, profile_.most_devices);
      const int model = dice_.Below(Models(pool_.driver));
      for (int i = 0; i < count; ++i) {
        const int own_model = dice_.Percent(80) ? model : dice_.Below(Models(pool_.driver));
        AddDevice("gpu-" + std::to_string(i), own_model, i, {});
      }
      if (trouble == Trouble::kUnknownSet) AddDevice("lost", model, count, Consumes("nowhere", "memory", "1Gi"));
    }
    if (trouble == Trouble::kDuplicateName) AddDevice("gpu-0", 0, 0, {});
    Distribute(trouble);
    Spoil(trouble);
  }

 private:
  static Json Counter(const std::string& amount) { return Object().Set("value", Text(amount)); }

  static std::vector<Json> Consumes(const std::string& set, const std::string& counter, const std::string& amount) {
    const Json counters = Object().Set(counter, Counter(amount));
    return {Object().Set("counterSet", Text(set)).Set("counters", counters)};
  }

  void AddDevice(const std::string& name, int model, int index, const std::vector<Json>& consumes) {
    Device device;
    device.driver = pool_.driver;
    device.pool = pool_.name;
    device.name = name;
    device.shared = dice_.Percent(profile_.shared_devices);
    Object object = GenerateDevice(dice_, profile_, cluster_, device, model, index);
    object.SetUnlessEmpty("consumesCounters", consumes);
    if (pool_.place == Place::kPerDevice) {
      const Place place = dice_.Pick({Place::kLocal, Place::kLocal, Place::kAllNodes, Place::kSelector, Place::kOther, Place::kNowhere});
      SetPlace(dice_, object, place, kOtherNodes[0], true);
      device.visible = place != Place::kOther && place != Place::kNowhere;
    }
    if (pool_.place == Place::kOther) device.visible = false;
    devices_.push_back(object);
    cluster_.devices.push_back(device);
  }

  // GPUs that can be allocated whole or in parts, with sets of counters for memory and slices.
  void MakePartitions(Trouble trouble) {
    const int gpus = dice_.Between(1, 2);
    const bool second_set = dice_.Percent(20);
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const std::string set = "gpu-" + std::to_string(gpu) + "-counters";
      const int64_t memory = 40960;
      const auto consume = [&](int64_t mib, int slices) {
        const std::string counter = trouble == Trouble::kUnknownCounter && dice_.Percent(30) ? "imaginary" : "slices";
        Object counters;
        counters.Set("memory", Counter(MemoryText(dice_, mib))).Set(counter, Counter(CountText(dice_, slices * 1000)));
        const std::string own_set = trouble == Trouble::kUnknownSet && dice_.Percent(30) ? "nowhere" : set;
        std::vector<Json> list = {Object().Set("counterSet", Text(own_set)).Set("counters", counters)};
        if (second_set) {
          list.push_back(Object().Set("counterSet", Text("links")).Set("counters", Object().Set("nvlink", Counter("1"))));
        }
        return list;
      };
      Object offered;
      offered.Set("memory", Counter(MemoryText(dice_, memory))).Set("slices", Counter(CountText(dice_, 7000)));
      counters_.push_back(Object().Set("name", Text(set)).Set("counters", offered));
      if (trouble == Trouble::kDuplicateSet) counters_.push_back(counters_.back());
      const std::string name = "gpu-" + std::to_string(gpu);
      int index = gpu * 4;
      if (dice_.Percent(70)) AddDevice(name, 3, index, consume(memory, 7));
      const int parts = dice_.Between(1, profile_.most_devices > 4 ? 4 : 3);
      for (int part = 0; part < parts; ++part) {
        const int size = dice_.Pick({1, 1, 2, 3, 4});
        AddDevice(name + "-mig-" + std::to_string(size) + "g-" + std::to_string(part), 3, index + part, consume(memory / 8 * size, size));
      }
      if (dice_.Percent(10)) AddDevice(name + "-display", 3, index + 7, {});
    }
    if (second_set) {
      const std::string links = std::to_string(dice_.Between(1, 4));
      counters_.push_back(Object().Set("name", Text("links")).Set("counters", Object().Set("nvlink", Counter(links))));
    }
  }

  void Distribute(Trouble trouble) {
    const size_t slices = devices_.size() > 1 ? static_cast<size_t>(dice_.Weighted({60, 30, 10})) + 1 : 1;
    pool_.drafts.resize(slices);
    for (size_t i = 0; i < devices_.size(); ++i) pool_.drafts[i * slices / devices_.size()].devices.push_back(devices_[i]);
    for (Draft& draft : pool_.drafts) draft.place = pool_.place;
    const bool unknown = trouble == Trouble::kUnknownSet || trouble == Trouble::kUnknownCounter;
    const int several_nodes = unknown ? 50 : counters_.empty() ? 12 : 30;
    // One pool on several nodes: some of its slices belong to another node.
    if (slices > 1 && pool_.place == Place::kLocal && profile_.quirk != Quirk::kManyDevices && dice_.Percent(several_nodes))
      pool_.drafts.back().place = Place::kOther;
    if (counters_.empty()) return;

    Draft counters;
    counters.counters = counters_;
    counters.place = pool_.place == Place::kPerDevice ? Place::kAllNodes : pool_.place;
    if (dice_.Percent(profile_.quirk == Quirk::kForeignCounters ? 100 : 6)) {
      counters.place = Place::kOther;
      counters.other = kOtherNodes[1];
    }
    if (dice_.Percent(3)) counters.devices.push_back(Object().Set("name", Text(dice_.Pick({"beside-counters", "gpu-0"}))));
    if (dice_.Percent(50)) {
      pool_.drafts.push_back(counters);
    } else {
      pool_.drafts.insert(pool_.drafts.begin(), counters);
    }
  }

  void Spoil(Trouble trouble) {
    std::vector<Draft>& drafts = pool_.drafts;
    Draft extra = drafts.back();
    switch (trouble) {
      case Trouble::kStale:
        for (Draft& draft : drafts) draft.generation = 3;
        extra.generation = 2;
        drafts.push_back(extra);
        break;
      case Trouble::kHalfUpdated:
        extra.generation = 2;
        extra.miscount = 1;
        drafts.push_back(extra);
        break;
      case Trouble::kUpdatedElsewhere:
        // Kubernetes looks for newer generations only if slices seem to be missing.
        if (dice_.Percent(75)) {
          for (Draft& draft : drafts) draft.miscount = 1;
        }
        extra.generation = 2;
        extra.place = Place::kOther;
        drafts.push_back(extra);
        break;
      case Trouble::kIncomplete:
        for (Draft& draft : drafts) draft.miscount = 1;
        break;
      case Trouble::kMiscounted: drafts.front().miscount = dice_.Pick({-1, 1}); break;
      case Trouble::kNowhere:
        extra.place = Place::kNowhere;
        drafts.push_back(extra);
        break;
      default: break;
    }
  }

  Dice& dice_;
  const Profile& profile_;
  Cluster& cluster_;
  Pool& pool_;
  std::vector<Json> devices_;
  std::vector<Json> counters_;
};

void Publish(Dice& dice, const Pool& pool, std::vector<Json>& slices) {
  std::vector<int> order(pool.drafts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  if (dice.Percent(20)) dice.Shuffle(order);
  for (size_t i = 0; i < pool.drafts.size(); ++i) {
    const Draft& draft = pool.drafts[i];
    const auto count =
        std::count_if(pool.drafts.begin(), pool.drafts.end(), [&](const Draft& d) { return d.generation == draft.generation; });
    std::string name = "0000" + std::to_string(order[i]) + '-' + pool.driver + '-' + pool.name;
    std::replace(name.begin(), name.end(), '/', '-');
    Object spec;
    spec.Set("driver", Text(pool.driver));
    spec.Set("pool", Object()
                         .Set("name", Text(pool.name))
                         .Set("generation", Number(draft.generation))
                         .Set("resourceSliceCount", Number(std::max<int64_t>(1, count + draft.miscount))));
    SetPlace(dice, spec, draft.place, draft.other, false);
    spec.SetUnlessEmpty("devices", draft.devices);
    spec.SetUnlessEmpty("sharedCounters", draft.counters);
    slices.push_back(Object().Set("metadata", Object().Set("name", Text(name))).Set("spec", spec));
  }
}

Place RollPlace(Dice& dice, const Profile& profile, int pool) {
  // The first pool is mostly the node's own; otherwise nothing would ever fit.
  if (pool == 0 && (profile.quirk == Quirk::kManyDevices || dice.Percent(88))) return Place::kLocal;
  const int per_device = profile.Has(kPartitionableDevices) ? 18 : 4;
  switch (dice.Weighted({45, 12, 12, 16, per_device})) {
    case 0: return Place::kLocal;
    case 1: return Place::kOther;
    case 2: return Place::kAllNodes;
    case 3: return Place::kSelector;
    default: return Place::kPerDevice;
  }
}

Json Requirement(Dice& dice) {
  const auto make = [](const char* key, const char* op, const std::vector<std::string>& values) {
    return Object().Set("key", Text(key)).Set("operator", Text(op)).SetIf(!values.empty(), "values", Texts(values));
  };
  if (dice.PerMille(6)) {  // the API server would refuse this; the allocator must return an error
    return dice.Below(3) == 0 ? make("gpus", "Gt", {"many"}) : dice.Percent(50) ? make("zone", "In", {}) : make("zone", "Near", {"zone-1"});
  }
  if (dice.Percent(22)) {  // does not match
    switch (dice.Below(7)) {
      case 0: return make("topology.kubernetes.io/zone", "In", {"zone-2", "zone-3"});
      case 1: return make("topology.kubernetes.io/zone", "NotIn", {"zone-1"});
      case 2: return make("spot", "Exists", {});
      case 3: return make("rack", "DoesNotExist", {});
      case 4: return make("gpus", "Gt", {"4"});
      case 5: return make("gpus", "Lt", {"4"});
      default: return make("rack", "Gt", {"1"});
    }
  }
  switch (dice.Below(7)) {
    case 0: return make("topology.kubernetes.io/zone", "In", {"zone-2", "zone-1"});
    case 1: return make("topology.kubernetes.io/zone", "In", {"zone-1", "zone-2"});
    case 2: return make("topology.kubernetes.io/zone", "NotIn", {"zone-9"});
    case 3: return make("rack", "Exists", {});
    case 4: return make("spot", "DoesNotExist", {});
    case 5: return make("gpus", "Gt", {"3"});
    default: return make("gpus", "Lt", {"8"});
  }
}

}  // namespace

Json NodeSelector(Dice& dice) {
  std::vector<Json> terms;
  const int count = dice.PerMille(8) ? dice.Pick({0, 2}) : 1;
  for (int i = 0; i < count; ++i) {
    Object term;
    std::vector<Json> expressions;
    for (int more = dice.Weighted({5, 75, 20}); more > 0; --more) expressions.push_back(Requirement(dice));
    term.SetUnlessEmpty("matchExpressions", expressions);
    if (expressions.empty() || dice.Percent(6)) {
      const bool in = dice.Percent(60);
      const Json field = Object()
                             .Set("key", Text("metadata.name"))
                             .Set("operator", Text(in ? "In" : "NotIn"))
                             .Set("values", Texts({dice.Percent(85) == in ? kNode : kOtherNodes[0]}));
      term.Set("matchFields", List({field}));
    }
    terms.push_back(term);
  }
  return Object().Set("nodeSelectorTerms", List(terms));
}

Cluster GenerateCluster(Dice& dice, const Profile& profile) {
  Cluster cluster;
  for (const std::string& driver : profile.drivers) {
    const int pools = dice.Between(1, profile.most_pools);
    for (int i = 0; i < pools; ++i) {
      Pool pool;
      pool.driver = driver;
      pool.place = RollPlace(dice, profile, i);
      const std::string owner = pool.place == Place::kLocal ? kNode : pool.place == Place::kOther ? kOtherNodes[0] : "fabric";
      pool.name = i == 0 ? owner : owner + dice.Pick({"-", "-", "-", "/"}) + std::to_string(i);
      PoolMaker(dice, profile, cluster, pool).Make();
      Publish(dice, pool, cluster.slices);
    }
  }
  if (dice.Percent(50)) dice.Shuffle(cluster.slices);
  return cluster;
}

}  // namespace allot::conformance
