#include "alloc/counters.h"

#include <algorithm>

namespace allot::alloc {

template <typename Use>
void Counters::EachUse(PoolCells& pool, const model::Device& device, Use use) {
  for (const model::CounterSet& set : device.consumes_counters) {
    for (const model::Counter& counter : set.counters) {
      const auto cell =
          std::find_if(pool.cells.begin(), pool.cells.end(), [&](const Cell& c) { return c.name == counter.name && c.set == set.name; });
      if (cell != pool.cells.end()) use(*cell, counter.value);
    }
  }
}

Counters::PoolCells& Counters::Cells(uint32_t index) {
  if (pools_.empty()) pools_.resize(inventory_.pools().size());
  PoolCells& cells = pools_[index];
  if (cells.ready) return cells;
  cells.ready = true;
  const Pool& pool = inventory_.pools()[index];
  for (const model::CounterSet* set : pool.counter_sets) {
    for (const model::Counter& counter : set->counters) cells.cells.push_back({set->name, counter.name, counter.value, counter.value, {}});
  }
  // Allocated devices count, also on other nodes. A device counts once, even if several claims share it.
  const auto subtract = [&](const model::Device& device) {
    if (device.consumes_counters.empty()) return;
    const Usage* usage = ledger_.Find(pool.hash, {pool.driver, pool.name, device.name});
    if (usage == nullptr || (features_.channel() == Channel::kStable && usage->whole == 0)) return;
    EachUse(cells, device, [](Cell& cell, const model::Quantity& amount) { cell.available.Sub(amount); });
  };
  for (uint32_t i = pool.first_device; i < pool.end_device; ++i) subtract(*inventory_.devices()[i].device);
  for (const model::ResourceSlice* slice : pool.other_slices) {
    for (const model::Device& device : slice->devices) subtract(device);
  }
  return cells;
}

bool Counters::Reserve(const InventoryDevice& device) {
  PoolCells& pool = Cells(device.pool);
  EachUse(pool, *device.device, [](Cell& cell, const model::Quantity& amount) { cell.consumed.Add(amount); });
  const bool fits = std::all_of(pool.cells.begin(), pool.cells.end(), [](const Cell& cell) { return cell.consumed <= cell.available; });
  if (!fits) Release(device);
  return fits;
}

void Counters::Release(const InventoryDevice& device) {
  EachUse(Cells(device.pool), *device.device, [](Cell& cell, const model::Quantity& amount) { cell.consumed.Sub(amount); });
}

Reason Counters::WhyNot(const InventoryDevice& device) {
  Reason reason;
  reason.kind = Reason::Kind::kCounterOverdrawn;
  EachUse(Cells(device.pool), *device.device, [&](Cell& cell, const model::Quantity& amount) {
    model::Quantity free = cell.available;
    free.Sub(cell.consumed);
    if (reason.kind == Reason::Kind::kCounterShort || amount <= free) return;
    reason.kind = Reason::Kind::kCounterShort;
    reason.name = cell.name;
    reason.counter_set = cell.set;
    reason.asked = amount, reason.free = free, reason.whole = cell.published;
  });
  return reason;
}

}  // namespace allot::alloc
