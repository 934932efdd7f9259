#pragma once
// What a Pod waits for: a node, and the Pods there that have to end before it can start.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "sched/cluster.h"
#include "sched/decide.h"

namespace allot::sched {

struct Plan {
  std::string node;
  std::set<std::string, std::less<>> ends;  // Pods, "namespace/name"
  // The uids of these Pods, from NameEnds. An empty uid: only a claim names the Pod.
  std::map<std::string, std::string, std::less<>> uids;
};

// Notes the uids of ends that have none yet.
void NameEnds(Plan& plan, const Cluster& cluster, const Snapshot& snapshot);
// Removes Pods that have ended and hold no claim on the node any more, and Pods that another Pod of the same name has
// replaced.
void DropEnded(Plan& plan, const Cluster& cluster, const Snapshot& snapshot);

// The plan with the fewest ends, then the least memory that these hold. Looks at the first 32 nodes, those with the fewest Pods first,
// where the Pod fits when all other Pods there have ended. nullopt: there is no such node.
std::optional<Plan> MakePlan(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking);

// The allocations of the Pod on this state of the node, with all other nodes as in the snapshot. nullopt: the Pod does not fit.
std::optional<std::vector<model::Allocation>> FitsOn(Decider& decider, const Snapshot& snapshot, const NodePtr& node,
                                                     const PodWithClaims& asking);

}  // namespace allot::sched
