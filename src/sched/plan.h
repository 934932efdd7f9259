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
  // Who is meant by the names, as NameEnds found them; an empty uid: only a claim says that there is such a Pod.
  std::map<std::string, std::string, std::less<>> uids;
};

// Notes the uids of ends that have none yet.
void NameEnds(Plan& plan, const Cluster& cluster, const Snapshot& snapshot);
// Takes those out that have ended, and of which no claim is left on the node; and at once those of whose name there is another Pod, which
// is not the one that was waited for.
void DropEnded(Plan& plan, const Cluster& cluster, const Snapshot& snapshot);

// The plan with the fewest ends, then the least that they take, on one of the first 32 nodes (those with the fewest Pods first) where it
// fits when all other Pods there have ended. Nothing: there is no such node.
std::optional<Plan> MakePlan(Decider& decider, const Snapshot& snapshot, const Request& request);

// Whether the Pod fits on this node, as it is, among the others of the snapshot; with the allocations.
std::optional<std::vector<model::Allocation>> FitsOn(Decider& decider, const Snapshot& snapshot, const NodePtr& node,
                                                     const Request& request);

}  // namespace allot::sched
