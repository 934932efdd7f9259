#pragma once
// Devices with memory, and who holds how much of it: what `allot status` shows and `allot doctor` checks.
//
// All amounts are whole MiB: what a device has is rounded down, what is held is rounded up.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/listing.h"
#include "json/value.h"
#include "model/quantity.h"

namespace allot::cli {

inline constexpr std::string_view kGpuDriver = "gpu.nvidia.com";

struct Holder {
  int64_t mib = 0;
  std::string namespace_name, claim;
  std::vector<std::string> pods;  // that the claim is reserved for; empty: nobody
  std::string since;              // when it was allocated, else made
  bool has_share_id = false;      // it is one of several that may hold the device
};

struct DeviceTaint {
  std::string key, value, effect;

  bool KeepsAway() const { return effect == "NoSchedule" || effect == "NoExecute"; }
};

struct DeviceStatus {
  std::string driver, pool, node, name;  // the node is empty where the device is no node's own
  std::string product, uuid;             // empty: the slice does not say
  std::optional<int64_t> mib;            // nothing: no slice says it
  std::optional<int64_t> used;           // nothing: claims cannot be seen
  std::optional<int64_t> shares;         // how many may hold it; nothing: as many as its memory has room for
  int64_t shares_used = 0;
  bool shared = false;
  bool overcommitted = false;  // compared by bytes: the rounded MiB of what just fits may add up to more
  bool gone = false;           // held, and no slice has it any more
  bool node_ready = true, node_cordoned = false;
  std::string pool_trouble;  // why nothing of it can be allocated; empty: it can
  std::vector<DeviceTaint> taints;
  std::vector<Holder> holders;

  std::string Name() const;  // "n1/gpu-0"
  // It has a fault; a cordon is none.
  bool IsUnhealthy() const;
  bool IsTainted() const;
  // Slices tell of it, or would. False: they could not be listed.
  bool IsSeen() const { return mib || gone; }
  bool HasShareLeft() const { return !shares || shares_used < *shares; }
  // Memory that the pool still has to give. Nothing: not known.
  std::optional<int64_t> Left() const;
  // Why a new Pod does not get it: "tainted", "cordoned", "not ready"; empty: it does.
  std::string_view Obstacle() const;
  // What claims can still get. Nothing: not known. 0 where the device cannot be allocated.
  std::optional<int64_t> Free() const;
  // "healthy", "error XID 48", "cordoned", "exclusive", ...: the loudest first.
  std::vector<std::string> State() const;
};

// By node, driver and name. Devices that claims hold and no slice has are among them, where their driver has memory to give.
std::vector<DeviceStatus> DevicesOf(const Listing& slices, const Listing& claims, const Listing& nodes);

// Whether a node takes Pods. One that does not say whether it is ready counts as ready.
struct NodeState {
  bool ready = true, cordoned = false;
  std::string why;  // it is not ready, in kubelet's or the controller's words; may be empty
};
NodeState StateOfNode(const json::Value& node);

// The memory among amounts ("memory", or "DOMAIN/memory"); nothing: it is not there. Rounded up unless `down`.
std::optional<int64_t> MemoryMib(const json::Value& amounts, bool down = false);

// What a taint means: "error XID 48", "cordoned".
std::string TaintWords(const DeviceTaint& taint);

}  // namespace allot::cli
