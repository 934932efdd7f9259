#pragma once
// Who waits, and who is next.
//
// Order: higher priority first; within a priority, who came first (of those that were made before we looked: by the time that the API
// keeps: WasMadeBefore). Everybody is asked in that order, and who fits starts. Who does not has a plan (plan.h): a node, and the Pods
// there whose end lets them start. A later Pod may start only where every plan ahead of it still holds with that Pod in place: nobody
// behind changes for whom anybody waits. Those ahead may, where they find another place than that of their plan: then there is another
// plan. Who is first has nobody ahead, and starts at the latest when the Pods of its plan have ended; so everybody does in their turn. Who
// ends, ends once: another Pod of the same name has to wait like everybody. A plan stays until it no longer holds. Pods that could never
// fit, are held back (gates, missing claims, volumes), or name a claim that others have where they cannot be, have none and block nobody.
// Not thread-safe.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sched/cluster.h"
#include "sched/decide.h"
#include "sched/plan.h"

namespace allot::sched {

struct Waiting {
  PodPtr pod;
  uint64_t arrival = 0;
  Decision decision;   // the last one: kWaits or kHeld
  std::string error;   // it could not be decided: why; empty: it could
  bool never = false;  // would not fit even if nobody else were there (Decider::NeverFits)
  std::optional<Plan> plan;

  // What `never` was found out of; it stays true as long as these do.
  uint64_t hardware = 0;  // Snapshot::hardware; 0: nobody has asked
  std::string asked;      // Request::Shape()
};

struct Placed {
  Request request;
  std::string node;
  std::vector<model::Allocation> allocations;  // of each claim of the request that had none
  std::shared_ptr<const Snapshot> snapshot;    // that it was decided on, which the allocations view
  size_t overtaken = 0;                        // how many came earlier with the same priority and still wait
};

struct QueueOptions {
  Strategy strategy = Strategy::kPack;
  // Whose Pods these are; empty: everybody's.
  std::set<std::string, std::less<>> schedulers;
  bool explain = true;  // the decisions of those who wait have their refusals, else Decider::RefusalsOf has them
};

// The order of Pods that nobody has seen come, as far as the API keeps it: the time at which they were made has only seconds,
// resourceVersion is that of the last write, managedFields have seconds too. Uids of the embedded API have the time in them; those of
// kube-apiserver are random. (An annotation of our own could be forged by whoever makes the Pod.)
bool WasMadeBefore(const Pod& a, const Pod& b);

class Queue {
 public:
  // `decider` must outlive it.
  Queue(Decider& decider, QueueOptions options) : decider_(decider), options_(std::move(options)) {}

  // Asks for everybody who waits, in order. Who fits is assumed in the cluster, then `place` is called.
  void Run(Cluster& cluster, const std::function<void(Placed)>& place);

  // Who waits since the last Run, in order. `pod_key`: nullptr where that one does not.
  std::vector<const Waiting*> waiting() const;
  const Waiting* Find(std::string_view pod_key) const;

 private:
  // Who waits ahead of the one that is asked for, and the nodes as they will be when their plans have come true.
  struct Ahead {
    std::vector<std::pair<Waiting*, Request>> waiting;  // with a plan each, in order
    std::map<std::string, NodePtr, std::less<>> future;
    bool look_at_others = false;  // some of them do: Pods elsewhere may keep them waiting
    bool share = false;           // some of them name a claim that the one who is asked for is still to get
  };

  void Refresh(const Cluster& cluster);
  // Asks for everybody once. True: somebody who looks at others may be answered otherwise by now.
  bool Pass(Cluster& cluster, const std::function<void(Placed)>& place);
  // Keeps its plan, or makes another one.
  void Promise(Waiting& one, const Cluster& cluster, const Snapshot& snapshot, const Request& request, Ahead& ahead);
  bool NeverFits(Waiting& one, const Snapshot& snapshot, const Request& request);
  // Lets the plan come true on the node. Nothing: it does not hold there.
  NodePtr Fulfil(const Waiting& one, const Snapshot& snapshot, const Node& node, const Request& request);
  // The node when all plans on it have come true; or who could not start.
  struct Outlook {
    NodePtr node;
    const Waiting* delayed = nullptr;
  };
  Outlook LookAhead(const Snapshot& snapshot, NodePtr node, const Ahead& ahead);
  // Of those whose plan is on another node than the Pod's, which is `placed` then: who could not start. `shared`: other nodes see devices
  // that it takes.
  const Waiting* DelayedElsewhere(const Snapshot& snapshot, const NodePtr& placed, const Request& request, bool shared, const Ahead& ahead);
  // Who would be delayed; empty: nobody. It takes other devices of the node where that is what it needs.
  std::string Veto(const Snapshot& snapshot, const Node& node, const Request& request, std::vector<model::Allocation>& allocations,
                   const Ahead& ahead);

  Decider& decider_;
  const QueueOptions options_;
  std::map<std::string, Waiting, std::less<>> waiting_;  // by key
  // Those that are not asked for now, until the API has them on a node: they have started, or are set aside, and may have to come back.
  std::map<std::string, Waiting, std::less<>> started_;
  uint64_t arrivals_ = 0;
};

}  // namespace allot::sched
