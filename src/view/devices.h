#pragma once
// Devices as values: what each one has, which claims hold how much of it, and how much a new claim can get.
//
// The amounts are those of the scheduler: slices say what a device has, and the ledger of allocated claims (alloc/ledger.h) says what is
// held. Memory is in whole MiB: what a device has is rounded down, what a claim holds is rounded up. A fact that could not be read is
// nullopt, never a guess.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/quantity.h"
#include "sched/cluster.h"
#include "view/nodes.h"
#include "view/pools.h"

namespace allot::view {

// The driver of NVIDIA's GPUs, and the class that asks for them.
inline constexpr std::string_view kGpuDriver = "gpu.nvidia.com";

struct Amount {
  std::string name;  // of the capacity: "memory"
  model::Quantity value;
};

// One claim that holds a device, or a share of it.
struct Holder {
  int64_t mib = 0;  // memory; the device's whole memory where the claim names no amount
  std::string namespace_name, claim;
  std::vector<std::string> pods;   // the names that the claim is reserved for; empty: no Pod uses it
  std::string since;               // when the claim was allocated, else when it was created; RFC 3339
  bool is_share = false;           // false: the claim holds the whole device
  std::vector<Amount> consumed{};  // by name; empty for a whole device
};

struct DeviceTaint {
  std::string key, value, effect;

  bool KeepsAway() const { return effect == "NoSchedule" || effect == "NoExecute"; }
};

struct DeviceCapacity {
  std::string name;
  model::Quantity whole, held;
};

// Why a new Pod does not get a device that has something left.
enum class DeviceObstacle { kNone, kNodeNotReady, kNodeCordoned, kTainted };

struct Device {
  std::string driver, pool, name;
  std::string node;           // empty: the device belongs to no single node
  std::string product, uuid;  // empty: the slice does not have them
  bool shared = false;        // several claims may hold a share each
  std::vector<DeviceCapacity> capacity;
  std::vector<DeviceTaint> taints;
  std::vector<Holder> holders;

  std::optional<int64_t> mib;     // nullopt: the device has no memory, or its slice cannot be seen
  std::optional<int64_t> used;    // MiB; nullopt: claims cannot be seen
  std::optional<int64_t> shares;  // how many claims may hold it; nullopt: as many as its memory has room for
  int64_t shares_used = 0;
  bool overcommitted = false;  // in bytes: what just fits may add up to more in rounded MiB
  bool offered = false;        // a slice has it
  bool gone = false;           // a claim holds it, and no slice offers it any more

  // The pool is not complete, so nothing of it can be allocated.
  struct Incomplete {
    size_t present = 0, wanted = 0;  // slices
  };
  std::optional<Incomplete> incomplete;
  bool node_ready = true, node_cordoned = false;

  // "n1/gpu-0": the node, or the pool where there is no node, and the device.
  std::string Name() const;
  // "driver/pool/device", which names it in the whole cluster.
  std::string FullName() const;
  bool IsTainted() const;
  // Whether a taint reports a fault. A cordon is a taint too, but no fault.
  bool IsUnhealthy() const;
  // False where a claim holds it and slices cannot be seen.
  bool IsSeen() const { return offered || gone; }
  bool HasShareLeft() const { return !shares || shares_used < *shares; }
  // Memory that the pool can still give, whatever keeps Pods away now. nullopt: not known.
  std::optional<int64_t> Left() const;
  DeviceObstacle FirstObstacle() const;
  // Memory that a new claim can get: Left(), or 0 where there is an obstacle. nullopt: not known.
  std::optional<int64_t> Free() const;
};

// Which of the lists behind the cluster could be read.
struct Seen {
  bool slices = true, claims = true;
};

// All devices that slices offer, and those that claims hold although no slice offers them. By node, driver, pool and name.
std::vector<Device> DevicesOf(const sched::Cluster& cluster, const NodeStates& nodes, const Seen& seen);

// Returns the devices that `allot status` shows: devices with memory, and held devices of a driver that offers memory.
std::vector<Device> WithMemory(std::vector<Device> devices);

}  // namespace allot::view
