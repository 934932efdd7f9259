#pragma once
// The pools of devices: their slices, the nodes that see them, and the claims that hold their devices.
//
// Not thread-safe.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sched/snapshot.h"

namespace allot::sched {

using PoolId = std::pair<std::string, std::string>;  // driver, pool
using PoolIds = std::set<PoolId>;
using SlicePtr = std::shared_ptr<const Slice>;

class Pools {
 public:
  // Returns the slice of the same name that this one replaces; nullptr: there was none.
  SlicePtr PutSlice(SlicePtr slice);
  SlicePtr RemoveSlice(std::string_view name);

  // A claim may be entered twice: as the API has it, and as the scheduler assumes it (`assumed`).
  void Enter(const ClaimPtr& claim, bool assumed);
  void Leave(const Claim& claim, bool assumed);

  // Pools that the node sees: those whose slices name it, and those whose slices name no node.
  PoolIds SeenBy(std::string_view node) const;
  bool IsShared(const PoolId& pool) const { return shared_.contains(pool); }
  // The nodes that slices of the pool name.
  std::set<std::string> NodesOf(const PoolId& pool) const;
  // All slices, by name.
  std::vector<SlicePtr> Slices() const;
  // The slices of these pools, pool by pool.
  std::vector<SlicePtr> SlicesOf(const PoolIds& pools) const;
  // Claims that hold something of these pools, each once.
  std::vector<ClaimPtr> ClaimsOf(const PoolIds& pools) const;

 private:
  std::map<std::string, SlicePtr, std::less<>> slices_;
  std::map<PoolId, std::set<std::string>> slices_of_pool_;     // names
  std::map<std::string, PoolIds, std::less<>> pools_of_node_;  // by what slices name a node
  std::map<PoolId, int> shared_;                               // pools with slices that name no node, and how many such slices
  std::map<PoolId, std::map<std::pair<std::string, bool>, ClaimPtr>> claims_of_pool_;  // by key and `assumed`
};

PoolId PoolOf(const Slice& slice);
// The node that the slice names; empty: none.
std::string_view NodeNameOf(const Slice& slice);
// The pools of the claim's allocated devices.
PoolIds PoolsOf(const Claim& claim);

}  // namespace allot::sched
