#pragma once
// Shared counters: what the devices of a pool have in common and may only use up once (a GPU and its MIG partitions).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/compat.h"
#include "alloc/inventory.h"
#include "alloc/ledger.h"
#include "alloc/reasons.h"
#include "model/quantity.h"

namespace allot::alloc {

class Counters {
 public:
  Counters(const Inventory& inventory, const Ledger& ledger, const Features& features)
      : inventory_(inventory), ledger_(ledger), features_(features) {}

  // Takes the counters that a device consumes. False, and nothing is taken, when that leaves some counter of the pool below zero.
  bool Reserve(const InventoryDevice& device);
  // Gives back what Reserve took.
  void Release(const InventoryDevice& device);

  // Which counter is short: kCounterShort or kCounterOverdrawn. REQUIRES that Reserve refuses.
  Reason WhyNot(const InventoryDevice& device);

 private:
  struct Cell {
    std::string_view set, name;
    model::Quantity published, available, consumed;
  };
  struct PoolCells {
    bool ready = false;
    std::vector<Cell> cells;
  };

  PoolCells& Cells(uint32_t pool);
  // Calls use(cell, amount) for each counter that the device consumes.
  template <typename Use>
  void EachUse(PoolCells& pool, const model::Device& device, Use use);

  const Inventory& inventory_;
  const Ledger& ledger_;
  const Features& features_;
  std::vector<PoolCells> pools_;
};

}  // namespace allot::alloc
