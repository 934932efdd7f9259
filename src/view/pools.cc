#include "view/pools.h"

#include <algorithm>
#include <map>
#include <utility>

namespace allot::view {

size_t Pool::DeviceCount() const {
  size_t count = 0;
  for (const sched::SlicePtr& slice : slices) count += slice->slice.devices.size();
  return count;
}

std::vector<Pool> PoolsOf(const sched::Cluster& cluster) {
  std::map<std::pair<std::string_view, std::string_view>, Pool> pools;
  for (const sched::SlicePtr& one : cluster.Slices()) {
    const model::ResourceSlice& slice = one->slice;
    const auto [found, is_new] = pools.try_emplace({slice.driver, slice.pool});
    Pool& pool = found->second;
    if (!is_new && slice.pool_generation < pool.generation) continue;
    if (is_new || slice.pool_generation > pool.generation) {
      pool = {std::string(slice.driver), std::string(slice.pool), slice.pool_generation, 0, {}};
    }
    if (pool.slices.empty()) pool.wanted = static_cast<size_t>(std::max<int64_t>(0, slice.pool_slice_count));
    pool.slices.push_back(one);
  }
  std::vector<Pool> sorted;
  for (auto& [id, pool] : pools) sorted.push_back(std::move(pool));
  return sorted;
}

const Pool* FindPool(const std::vector<Pool>& pools, std::string_view driver, std::string_view name) {
  const auto found = std::find_if(pools.begin(), pools.end(), [&](const Pool& pool) { return pool.driver == driver && pool.name == name; });
  return found == pools.end() ? nullptr : &*found;
}

}  // namespace allot::view
