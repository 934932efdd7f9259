#include "cli/pools.h"

#include <algorithm>
#include <map>

#include "cli/description.h"

namespace allot::cli {
namespace {

int64_t NumberOf(const json::Value& value) { return value.IsNumber() ? value.AsInt64().value_or(0) : 0; }

}  // namespace

std::vector<Pool> PoolsOf(const std::vector<kube::ObjectPtr>& slices) {
  std::map<std::pair<std::string_view, std::string_view>, Pool> pools;
  for (const kube::ObjectPtr& slice : slices) {
    const json::Value& spec = slice->json()["spec"];
    const json::Value& pool = spec["pool"];
    const auto [found, is_new] = pools.try_emplace({Text(spec["driver"]), Text(pool["name"])});
    Pool& known = found->second;
    const int64_t generation = NumberOf(pool["generation"]);
    if (!is_new && generation < known.generation) continue;
    if (is_new || generation > known.generation) {
      known = {std::string(Text(spec["driver"])), std::string(Text(pool["name"])), generation, 0, {}};
    }
    known.wanted = std::max(known.wanted, static_cast<size_t>(std::max<int64_t>(0, NumberOf(pool["resourceSliceCount"]))));
    known.slices.push_back(slice);
  }
  std::vector<Pool> sorted;
  for (auto& [key, pool] : pools) sorted.push_back(std::move(pool));
  return sorted;
}

const Pool* FindPool(const std::vector<Pool>& pools, std::string_view driver, std::string_view name) {
  const auto found = std::find_if(pools.begin(), pools.end(), [&](const Pool& pool) { return pool.driver == driver && pool.name == name; });
  return found == pools.end() ? nullptr : &*found;
}

}  // namespace allot::cli
