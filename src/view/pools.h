#pragma once
// Pools of devices as the scheduler counts them (alloc/inventory.h): the slices of the newest generation, once all of them are published.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sched/cluster.h"

namespace allot::view {

struct Pool {
  std::string driver, name;
  int64_t generation = 0;               // the newest one
  size_t wanted = 0;                    // how many slices the first one says that there are
  std::vector<sched::SlicePtr> slices;  // of the newest generation, by name

  // The scheduler allocates nothing of a pool with too few or too many slices.
  bool complete() const { return slices.size() == wanted; }
  size_t DeviceCount() const;
};

// By driver and name.
std::vector<Pool> PoolsOf(const sched::Cluster& cluster);
// nullptr: there is no such pool.
const Pool* FindPool(const std::vector<Pool>& pools, std::string_view driver, std::string_view name);

}  // namespace allot::view
