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

namespace allot::cli {

struct Holder {
  int64_t mib = 0;
  std::string namespace_name, claim;
  std::vector<std::string> pods;  // that the claim is reserved for; empty: nobody
  std::string since;              // when it was allocated, else made
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
  bool shared = false;
  bool gone = false;         // held, and no slice has it any more
  std::string pool_trouble;  // why nothing of it can be allocated; empty: it can
  std::vector<DeviceTaint> taints;
  std::vector<Holder> holders;

  std::string Name() const;  // "n1/gpu-0"
  bool IsOvercommitted() const { return mib && used && *used > *mib; }
  // It has a fault; a cordon is none.
  bool IsUnhealthy() const;
  bool IsTainted() const;
  // What claims can still get. Nothing: not known. 0 where the device cannot be allocated.
  std::optional<int64_t> Free() const;
  // "healthy", "error XID 48", "cordoned", "exclusive", ...: the loudest first.
  std::vector<std::string> State() const;
};

// By node, driver and name. Devices that claims hold and no slice has are among them, where their driver has memory to give.
std::vector<DeviceStatus> DevicesOf(const Listing& slices, const Listing& claims);

// The memory among amounts ("memory", or "DOMAIN/memory"); nothing: it is not there. Rounded up unless `down`.
std::optional<int64_t> MemoryMib(const json::Value& amounts, bool down = false);

// What a taint means: "error XID 48", "cordoned".
std::string TaintWords(const DeviceTaint& taint);

}  // namespace allot::cli
