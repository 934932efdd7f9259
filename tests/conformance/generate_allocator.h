#pragma once
// The parts of GenerateAllocatorCase.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generate_json.h"
#include "generate_random.h"

namespace allot::conformance {

// Behaviours of Kubernetes that random cases would rarely show. A case favours one of them, or none.
enum class Quirk {
  kNone,
  kDistinctForgets,     // distinctAttribute remembers one value per request: the third device is not compared with the first
  kAdminTakes,          // a device allocated with adminAccess is not available to later ordinary requests
  kConfigRepeats,       // a claim's config that lists two requests appears twice
  kDefaultByNotation,   // an amount equal to the default passes the policy, but only in the same notation
  kAllSkipsFull,        // mode All skips shared devices without free capacity
  kShareWithoutAmount,  // a share that consumed no capacity does not count as use of the device's counters
  kForeignCounters,     // a slice of counters counts for every node
  kManyDevices,         // the limit of 32 results of a claim
  kListsShrink,         // matchAttribute's common values are not restored when the search backtracks
};

// The parameters of a case.
struct Profile {
  std::vector<std::string> gates;  // enabled
  bool name_gates = false;         // false: the case has no `features`
  bool stable = false;             // Kubernetes picks its stable allocator: pools in random order, permutations
  Quirk quirk = Quirk::kNone;
  std::vector<std::string> drivers;
  int shared_devices = 0;  // percent of devices that allow several allocations
  int partitions = 0;      // percent of pools with counters
  int taints = 0;          // percent of devices
  int bindings = 0;
  int in_use = 0;
  int constraints = 0;   // percent of claims
  int trouble = 0;       // percent of pools that are stale, incomplete or invalid
  int selectors = 0;     // percent of requests
  int capacities = 0;    // percent of requests that name amounts
  int odd_values = 0;    // per mille of attributes with values on which selectors fail
  bool tight = false;    // later requests want the devices that earlier ones take first
  bool puzzle = false;   // claims that fit only after backtracking; devices are plain
  int most_pools = 2;    // per driver
  int most_devices = 6;  // per pool

  bool Has(std::string_view gate) const;
};

inline constexpr char kAdminAccess[] = "DRAAdminAccess";
inline constexpr char kPrioritizedList[] = "DRAPrioritizedList";
inline constexpr char kConsumableCapacity[] = "DRAConsumableCapacity";
inline constexpr char kPartitionableDevices[] = "DRAPartitionableDevices";
inline constexpr char kDeviceTaints[] = "DRADeviceTaints";
inline constexpr char kDeviceBinding[] = "DRADeviceBindingConditions+DRAResourceClaimDeviceStatus";
inline constexpr char kListTypeAttributes[] = "DRAListTypeAttributes";

// The node of every case, and the other nodes of its cluster.
inline constexpr char kNode[] = "node-a";
inline constexpr const char* kOtherNodes[] = {"node-b", "node-c"};

// The facts about a published device that claims and other allocations need.
struct Device {
  struct Capacity {
    std::string name;
    int64_t amount;  // MiB of memory, thousandths of anything else
  };
  std::string driver, pool, name;
  bool visible = true;  // from the node, according to its slice
  bool shared = false;
  std::vector<Capacity> capacity;
};

struct Cluster {
  std::vector<Json> slices;
  std::vector<Device> devices;
  std::vector<std::string> models;
  std::vector<int64_t> defaults;  // of memory, in MiB
};

// Amounts in the many notations that Kubernetes accepts.
bool IsMemory(std::string_view capacity);
std::string MemoryText(Dice& dice, int64_t mib);
std::string CountText(Dice& dice, int64_t milli);
std::string AmountText(Dice& dice, std::string_view capacity, int64_t amount);

// One device of a pool: attributes, capacity, taints, conditions. `device` has its names and whether it is shared; its capacity is set.
// `model` is a row of the table of its driver's models, `index` its number in the pool.
Object GenerateDevice(Dice& dice, const Profile& profile, Cluster& cluster, Device& device, int model, int index);
int Models(std::string_view driver);

Cluster GenerateCluster(Dice& dice, const Profile& profile);
Json NodeSelector(Dice& dice);

std::vector<Json> GenerateClasses(Dice& dice, const Profile& profile);
std::vector<Json> GenerateClaims(Dice& dice, const Profile& profile, const Cluster& cluster);
std::vector<Json> GeneratePuzzle(Dice& dice, const Profile& profile, const Cluster& cluster);

// A selector of devices of `driver`: mostly true for some devices, sometimes failing, rarely not compiling.
std::string Selector(Dice& dice, const Profile& profile, const Cluster& cluster, const std::string& driver);

}  // namespace allot::conformance
