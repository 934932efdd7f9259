#include "generate_allocator.h"

#include <algorithm>

#include "generate.h"

namespace allot::conformance {

namespace {

constexpr uint64_t kKind = 1;

void RollGates(Dice& dice, Profile& profile) {
  const std::vector<std::string> defaults = {kAdminAccess,          kPrioritizedList, kConsumableCapacity,
                                             kPartitionableDevices, kDeviceTaints,    kDeviceBinding};
  profile.gates = defaults;
  switch (dice.Weighted({70, 8, 8, 12, 2})) {
    case 0: return;
    case 1:  // the defaults, and attributes that are lists
      profile.gates.emplace_back(kListTypeAttributes);
      break;
    case 2:  // only features of the stable allocator
      profile.gates = {kAdminAccess, kPrioritizedList, kPartitionableDevices, kDeviceTaints};
      std::erase_if(profile.gates, [&](const std::string&) { return dice.Percent(25); });
      break;
    case 3:
      profile.gates.emplace_back(kListTypeAttributes);
      std::erase_if(profile.gates, [&](const std::string& gate) { return dice.Percent(gate == kListTypeAttributes ? 70 : 30); });
      break;
    default: profile.gates.clear();
  }
  profile.name_gates = true;
  profile.stable = !profile.Has(kConsumableCapacity) && !profile.Has(kDeviceBinding) && !profile.Has(kListTypeAttributes);
}

// Removes everything that the quirk does not need, so that no other rule decides first.
void KeepPlain(Profile& profile) {
  profile.drivers.resize(1);
  profile.most_pools = 1;
  profile.partitions = profile.taints = profile.bindings = profile.constraints = profile.trouble = profile.odd_values = profile.selectors =
      0;
  profile.tight = false;
}

void MakePuzzle(Dice& dice, Profile& profile) {
  profile.puzzle = true;
  profile.drivers.resize(1);
  profile.shared_devices = profile.Has(kConsumableCapacity) ? dice.Pick({0, 0, 100}) : 0;
  profile.most_pools = profile.stable || profile.shared_devices > 0 ? 1 : dice.Between(1, 2);
  profile.most_devices = profile.shared_devices > 0 ? 3 : 8;
  profile.in_use = dice.Pick({0, 0, 10});
  profile.trouble = profile.partitions = profile.odd_values = 0;
}

void Lean(Dice& dice, Profile& profile) {
  profile.quirk =
      dice.Pick({Quirk::kDistinctForgets, Quirk::kAdminTakes, Quirk::kConfigRepeats, Quirk::kDefaultByNotation, Quirk::kAllSkipsFull,
                 Quirk::kShareWithoutAmount, Quirk::kForeignCounters, Quirk::kManyDevices, Quirk::kListsShrink});
  profile.trouble = std::min(profile.trouble, 3);
  switch (profile.quirk) {
    case Quirk::kDistinctForgets:
      profile.shared_devices = dice.Pick({0, 0, 50});
      profile.partitions = 0;
      profile.in_use = 10;
      break;
    case Quirk::kAdminTakes: profile.most_devices = 3; break;
    case Quirk::kDefaultByNotation:
      KeepPlain(profile);
      profile.shared_devices = 100;
      profile.capacities = 80;
      profile.most_devices = 2;
      profile.in_use = 0;
      break;
    case Quirk::kAllSkipsFull:
      profile.shared_devices = 80;
      profile.in_use = 60;
      profile.capacities = 70;
      profile.most_devices = 4;
      break;
    case Quirk::kShareWithoutAmount:
      profile.shared_devices = 80;
      profile.partitions = 100;
      profile.in_use = 50;
      break;
    case Quirk::kForeignCounters: profile.partitions = 100; break;
    case Quirk::kManyDevices:
      // All devices are free and equal; otherwise the search for 30 of 40 devices would never end.
      KeepPlain(profile);
      profile.in_use = profile.capacities = 0;
      profile.shared_devices = dice.Pick({0, 100});
      break;
    case Quirk::kListsShrink:
      KeepPlain(profile);
      if (!profile.Has(kListTypeAttributes)) profile.gates.emplace_back(kListTypeAttributes);
      profile.name_gates = true;
      profile.shared_devices = profile.capacities = profile.in_use = 0;
      profile.most_devices = 8;
      break;
    case Quirk::kNone:
    case Quirk::kConfigRepeats: break;
  }
}

Profile RollProfile(Dice& dice) {
  Profile profile;
  RollGates(dice, profile);
  std::vector<std::string> drivers = {"gpu.nvidia.com", "gpu.nvidia.com", "gpu.intel.com", "cpu.example.com"};
  const size_t count = static_cast<size_t>(dice.Weighted({65, 28, 7})) + 1;
  dice.Shuffle(drivers);
  for (const std::string& driver : drivers) {
    if (profile.drivers.size() < count && std::find(profile.drivers.begin(), profile.drivers.end(), driver) == profile.drivers.end()) {
      profile.drivers.push_back(driver);
    }
  }
  const auto percent = [&](int often, int rarely) { return dice.Percent(often) ? rarely : 0; };
  profile.shared_devices = percent(55, dice.Pick({30, 100, 100}));
  profile.partitions = percent(35, dice.Pick({50, 100}));
  profile.taints = percent(25, dice.Pick({15, 40}));
  profile.bindings = percent(15, 35);
  profile.in_use = dice.Pick({0, 0, 10, 20, 45});
  profile.constraints = percent(45, 70);
  profile.trouble = dice.Pick({0, 0, 0, 5, 30});
  profile.selectors = dice.Pick({5, 20, 50});
  profile.capacities = percent(60, dice.Pick({20, 60, 85}));
  profile.odd_values = percent(10, 20);
  profile.tight = dice.Percent(45);
  profile.most_pools = dice.Pick({1, 2, 3});
  profile.most_devices = dice.Pick({2, 5, 8, 10});
  if (profile.stable && dice.Percent(90)) {
    profile.drivers.resize(1);
    profile.most_pools = 1;
  }
  if (dice.Percent(36)) {
    MakePuzzle(dice, profile);
  } else if (!profile.stable && dice.Percent(38)) {
    Lean(dice, profile);
  }
  return profile;
}

// Allocations of other claims: mostly valid ones, sometimes ones that the scheduler should not have made.
Json GenerateUse(Dice& dice, const Profile& profile, const Cluster& cluster) {
  std::vector<Json> devices, shares, consumed;
  const auto id = [](const Device& d) {
    return Object().Set("driver", Text(d.driver)).Set("pool", Text(d.pool)).Set("device", Text(d.name));
  };
  for (const Device& device : cluster.devices) {
    if (!dice.Percent(profile.in_use)) continue;
    if (!device.shared || dice.Percent(3)) {
      devices.push_back(id(device));
      if (!dice.Percent(2)) continue;
    }
    const int count = dice.Between(1, 2);
    if (!dice.Percent(4)) {
      for (int i = 0; i < count; ++i) {
        shares.push_back(Object().Set("id", Text(device.driver + '/' + device.pool + '/' + device.name + '/' + Uuid4(dice.random()))));
      }
    }
    if (device.capacity.empty() || dice.Percent(profile.quirk == Quirk::kShareWithoutAmount ? 40 : 5)) continue;
    Object amounts;
    for (const Device::Capacity& capacity : device.capacity) {
      if (dice.Percent(5)) continue;
      const int eighths = dice.Percent(2) ? 9 : dice.Pick({1, 2, 2, 4, 4, 6, 7, 8});
      amounts.Set(capacity.name, Text(AmountText(dice, capacity.name, dice.Percent(3) ? 0 : capacity.amount * eighths / 8)));
    }
    consumed.push_back(id(device).Set("consumed", amounts));
  }
  if (dice.Percent(3))
    devices.push_back(Object().Set("driver", Text("gpu.gone.com")).Set("pool", Text(kNode)).Set("device", Text("gpu-0")));
  return Object().Set("devices", List(devices)).Set("shares", List(shares)).Set("consumedCapacity", List(consumed));
}

Json GenerateNode() {
  return Object().Set("metadata", Object()
                                      .Set("name", Text(kNode))
                                      .Set("labels", Object()
                                                         .Set("kubernetes.io/hostname", Text(kNode))
                                                         .Set("topology.kubernetes.io/zone", Text("zone-1"))
                                                         .Set("rack", Text("r2"))
                                                         .Set("gpus", Text("4"))));
}

}  // namespace

bool Profile::Has(std::string_view gate) const { return std::find(gates.begin(), gates.end(), gate) != gates.end(); }

std::string GenerateAllocatorCase(uint64_t seed) {
  Dice dice(seed, kKind);
  const Profile profile = RollProfile(dice);
  const Cluster cluster = GenerateCluster(dice, profile);
  Object result;
  result.Set("name", Text("allocator-" + std::to_string(seed)));
  if (profile.name_gates) result.Set("features", profile.gates.empty() ? Json{"null"} : Texts(profile.gates));
  result.Set("node", GenerateNode());
  result.Set("deviceClasses", List(GenerateClasses(dice, profile)));
  result.Set("resourceSlices", List(cluster.slices));
  result.Set("claims", List(profile.puzzle ? GeneratePuzzle(dice, profile, cluster) : GenerateClaims(dice, profile, cluster)));
  result.Set("allocated", GenerateUse(dice, profile, cluster));
  return Json(result).text;
}

}  // namespace allot::conformance
