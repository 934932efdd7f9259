#pragma once
// The plans of the Pods that wait ahead of the Pod that is being decided, and the nodes as they will be when those plans have come true.
//
// Invariant: every plan holds. Starting its Pod on its node is possible once the Pods that the plan names have ended, with all plans ahead
// of it on that node fulfilled first. A later Pod may start only where this stays so.
// Lives for one pass over the queue (queue.h). Not thread-safe.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/cluster.h"
#include "sched/decide.h"
#include "sched/plan.h"

namespace allot::sched {

// Whether some of these devices of the node are in pools that other nodes see, too.
bool AreSeenElsewhere(const Node& node, const std::vector<model::Allocation>& allocations);

class PlansAhead {
 public:
  // `decider` must outlive this.
  PlansAhead(Decider& decider, Strategy strategy) : decider_(decider), strategy_(strategy) {}

  // The Pod that is decided next. All functions below are about it. `asking` must stay valid until the next Ask.
  void Ask(const PodWithClaims& asking);

  // The Pod ("namespace/name") whose plan would no longer hold if the asking Pod took `allocations` on the node; empty: there is none.
  // Changes `allocations` where other devices of the node leave every plan intact.
  std::string Veto(const Snapshot& snapshot, const Node& node, std::vector<model::Allocation>& allocations) const;

  // Adds the plan that the asking Pod has from an earlier pass. Returns false, and adds nothing, if the plan no longer holds.
  // The plan must outlive this object.
  bool Keep(Plan& plan, const Cluster& cluster, const Snapshot& snapshot);
  // Makes a plan for the asking Pod and adds it. Leaves `plan` empty if no plan is possible, or if there are enough plans already. The plan
  // must outlive this object.
  void Make(std::optional<Plan>& plan, const Cluster& cluster, const Snapshot& snapshot);

  // The asking Pod was placed on `node`, and `snapshot` has it there. `seen_elsewhere`: other nodes see devices that it took.
  void Start(const Cluster& cluster, const Snapshot& snapshot, std::string_view node, bool seen_elsewhere);

  // How many Pods ahead have this priority.
  size_t CountOf(int64_t priority) const;

 private:
  // A Pod that waits, and its plan.
  struct Entry {
    PodWithClaims asking;
    const Plan* plan = nullptr;
  };
  struct Outlook {
    NodePtr node;                    // when all plans on it have come true; null: some plan does not hold
    const Entry* delayed = nullptr;  // the first entry whose plan does not hold
  };

  // Lets the plan come true on the node. Null: it does not hold there.
  NodePtr Fulfil(const Plan& plan, const Snapshot& snapshot, const Node& node, const PodWithClaims& asking) const;
  Outlook LookAhead(const Snapshot& snapshot, NodePtr node, const std::vector<Entry>& entries) const;
  // The first entry that is delayed when the asking Pod is on `node` with these allocations; null: none.
  const Entry* DelayedBy(const Snapshot& snapshot, const Node& node, const std::vector<model::Allocation>& allocations) const;
  // The same among the plans on other nodes than `placed`, the node with the asking Pod on it.
  const Entry* DelayedElsewhere(const Snapshot& snapshot, const NodePtr& placed, bool seen_elsewhere,
                                const std::vector<Entry>& entries) const;
  // The node as the plans will leave it, else as it is now; null: it is gone.
  const Node* Later(const std::string& name, const Snapshot& snapshot) const;
  // The asking Pod. Claims that it shares with Pods ahead have the allocations that those plan.
  PodWithClaims AskingLater() const;
  // Adds the ends of the plans that must come true before this one.
  void StandOnOthers(Plan& plan, const PodWithClaims& shared) const;
  void Add(Plan& plan, NodePtr then, const Cluster& cluster, const Snapshot& snapshot);

  Decider& decider_;
  const Strategy strategy_;
  std::vector<Entry> entries_;                          // in the order of the queue
  std::map<std::string, NodePtr, std::less<>> future_;  // nodes of the plans, when they have come true
  bool look_at_others_ = false;                         // some Pod ahead has rules about other Pods, so a Pod on another node may delay it

  const PodWithClaims* asking_ = nullptr;
  bool share_ = false;  // some Pod ahead shares an unallocated claim with the asking Pod
};

}  // namespace allot::sched
