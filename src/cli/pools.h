#pragma once
// Pools of devices as slices make them up, seen as the scheduler sees them.
//
// Of each pool only the slices of the newest generation count, and nothing of it is allocated until as many of them are there as each of
// them says.

#include <cstdint>
#include <string>
#include <vector>

#include "kube/object.h"

namespace allot::cli {

struct Pool {
  std::string driver, name;
  int64_t generation = 0;
  size_t wanted = 0;                    // slices that it should have
  std::vector<kube::ObjectPtr> slices;  // of its newest generation

  bool complete() const { return slices.size() >= wanted; }
};

// By driver and name.
std::vector<Pool> PoolsOf(const std::vector<kube::ObjectPtr>& slices);
// nullptr: there is none.
const Pool* FindPool(const std::vector<Pool>& pools, std::string_view driver, std::string_view name);

}  // namespace allot::cli
