#pragma once
// The devices that one node can use, from the ResourceSlices of the cluster.
//
// A pool is used only when all its slices of the newest generation are there and agree with each other; others are kept with the reason,
// since a request for all devices must not overlook them. A pool with a newer generation elsewhere is gone.
// Devices are in Kubernetes' order of allocation: pools without binding conditions first, pools by driver and name, slices by name, devices
// as listed.
//
// Views the slices and the node: both must outlive it. Immutable, so that threads may share it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/compat.h"
#include "base/status.h"
#include "model/device.h"
#include "model/node.h"

namespace allot::alloc {

struct Pool {
  std::string_view driver, name;
  uint64_t hash = 0;                                      // of driver and name (see ledger.h)
  bool incomplete = false;                                // slices are missing: the driver is publishing
  std::string invalid;                                    // why its slices contradict each other; empty: they do not
  std::vector<const model::ResourceSlice*> other_slices;  // of other nodes, whose devices may consume the same counters
  std::vector<const model::CounterSet*> counter_sets;
  uint32_t first_device = 0, end_device = 0;  // into Inventory::devices()

  bool binds = false;  // some device has binding conditions: such pools come last

  bool usable() const { return !incomplete && invalid.empty(); }
};

struct InventoryDevice {
  const model::Device* device;
  const model::ResourceSlice* slice;
  uint32_t pool;
};

class Inventory {
 public:
  // `slices`: of the whole cluster, or at least all slices of every pool that the node can use. kInvalid for a node selector that
  // Kubernetes refuses.
  static Result<Inventory> Gather(const model::Node& node, std::span<const model::ResourceSlice* const> slices, const Features& features,
                                  const Quirks& quirks);

  const model::Node& node() const { return *node_; }
  std::span<const Pool> pools() const { return pools_; }
  std::span<const InventoryDevice> devices() const { return devices_; }
  // "gpu-0", or "pool/gpu-0" where the node has several pools.
  std::string DeviceName(uint32_t device) const;

 private:
  explicit Inventory(const model::Node& node) : node_(&node) {}

  const model::Node* node_;
  std::vector<Pool> pools_;
  std::vector<InventoryDevice> devices_;
};

}  // namespace allot::alloc
