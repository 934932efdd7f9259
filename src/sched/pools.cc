#include "sched/pools.h"

#include <algorithm>

namespace allot::sched {

PoolId PoolOf(const Slice& slice) { return {std::string(slice.slice.driver), std::string(slice.slice.pool)}; }

std::string_view NodeNameOf(const Slice& slice) { return slice.slice.nodes.node_name.value_or(std::string_view()); }

PoolIds PoolsOf(const Claim& claim) {
  PoolIds pools;
  if (!claim.claim.allocation) return pools;
  for (const model::DeviceResult& result : claim.claim.allocation->results) pools.emplace(result.driver, result.pool);
  return pools;
}

SlicePtr Pools::PutSlice(SlicePtr slice) {
  const std::string name(slice->slice.name);
  SlicePtr before = RemoveSlice(name);
  const PoolId pool = PoolOf(*slice);
  slices_of_pool_[pool].insert(name);
  if (NodeNameOf(*slice).empty()) {
    ++shared_[pool];
  } else {
    pools_of_node_[std::string(NodeNameOf(*slice))].insert(pool);
  }
  slices_[name] = std::move(slice);
  return before;
}

SlicePtr Pools::RemoveSlice(std::string_view name) {
  const auto at = slices_.find(name);
  if (at == slices_.end()) return nullptr;
  SlicePtr slice = at->second;
  const PoolId pool = PoolOf(*slice);
  slices_.erase(at);
  auto& rest = slices_of_pool_[pool];
  rest.erase(std::string(name));
  const std::string node(NodeNameOf(*slice));
  if (node.empty()) {
    if (--shared_[pool] == 0) shared_.erase(pool);
  } else if (std::none_of(rest.begin(), rest.end(), [&](const std::string& other) { return NodeNameOf(*slices_[other]) == node; })) {
    pools_of_node_[node].erase(pool);
  }
  if (rest.empty()) slices_of_pool_.erase(pool);
  return slice;
}

void Pools::Enter(const ClaimPtr& claim, bool assumed) {
  for (const PoolId& pool : PoolsOf(*claim)) claims_of_pool_[pool][{claim->key, assumed}] = claim;
}

void Pools::Leave(const Claim& claim, bool assumed) {
  for (const PoolId& pool : PoolsOf(claim)) {
    const auto at = claims_of_pool_.find(pool);
    if (at == claims_of_pool_.end()) continue;
    at->second.erase({claim.key, assumed});
    if (at->second.empty()) claims_of_pool_.erase(at);
  }
}

PoolIds Pools::SeenBy(std::string_view node) const {
  PoolIds pools;
  if (const auto own = pools_of_node_.find(node); own != pools_of_node_.end()) pools = own->second;
  for (const auto& [pool, count] : shared_) pools.insert(pool);
  return pools;
}

std::set<std::string> Pools::NodesOf(const PoolId& pool) const {
  std::set<std::string> nodes;
  const auto slices = slices_of_pool_.find(pool);
  if (slices == slices_of_pool_.end()) return nodes;
  for (const std::string& slice : slices->second) nodes.emplace(NodeNameOf(*slices_.find(slice)->second));
  nodes.erase("");
  return nodes;
}

std::vector<SlicePtr> Pools::Slices() const {
  std::vector<SlicePtr> slices;
  for (const auto& [name, slice] : slices_) slices.push_back(slice);
  return slices;
}

std::vector<SlicePtr> Pools::SlicesOf(const PoolIds& pools) const {
  std::vector<SlicePtr> slices;
  for (const PoolId& pool : pools) {
    const auto names = slices_of_pool_.find(pool);
    if (names == slices_of_pool_.end()) continue;
    for (const std::string& name : names->second) slices.push_back(slices_.find(name)->second);
  }
  return slices;
}

std::vector<ClaimPtr> Pools::ClaimsOf(const PoolIds& pools) const {
  std::vector<ClaimPtr> claims;
  for (const PoolId& pool : pools) {
    const auto held = claims_of_pool_.find(pool);
    if (held == claims_of_pool_.end()) continue;
    for (const auto& [key, claim] : held->second) {
      // Once, even if it holds devices of several pools.
      if (pools.size() == 1 || std::find(claims.begin(), claims.end(), claim) == claims.end()) claims.push_back(claim);
    }
  }
  return claims;
}

}  // namespace allot::sched
