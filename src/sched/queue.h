#pragma once
// The Pods that wait, and which of them may start.
//
// Order: higher priority first; within a priority, the Pod that came first. Pods that come together, as after a restart, are ordered by
// CompareTurns (order.h). The queue decides the Pods in that order. A Pod that fits starts. A Pod that does not fit gets a plan (plan.h): a
// node, and the Pods there that have to end first.
//
// Promises:
//   1. a later Pod starts only where every plan ahead of it still holds (plans_ahead.h), so it never changes what an earlier Pod waits for;
//   2. the first Pod starts at the latest when the Pods of its plan have ended, so every Pod starts in its turn;
//   3. a Pod that can never fit, that is blocked (gates, missing claims, volumes), or whose claim is held by other Pods where it cannot
//   run,
//      has no plan and blocks no Pod.
// A plan stays until it no longer holds. An earlier Pod may start elsewhere than planned; later plans are then made again. A plan names
// Pods by uid: another Pod of the same name waits like any other. Not thread-safe.

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
#include "sched/plans_ahead.h"

namespace allot::sched {

struct Waiting {
  PodPtr pod;
  uint64_t arrival = 0;
  Decision decision;   // the last one: kWaits or kBlocked
  std::string error;   // why the Pod could not be decided; empty: it could
  bool never = false;  // does not fit even on empty nodes (Decider::NeverFits)
  std::optional<Plan> plan;

  // The inputs that `never` was computed from; the answer is valid while they stay the same.
  uint64_t hardware = 0;  // Snapshot::hardware; 0: not computed yet
  std::string asked;      // PodWithClaims::Shape()
};

struct Placed {
  PodWithClaims asking;
  std::string node;
  std::vector<model::Allocation> allocations;  // one for each claim of the Pod that had none
  size_t overtaken = 0;                        // Pods of the same priority that came earlier and still wait
};

struct QueueOptions {
  Strategy strategy = Strategy::kPack;
  // spec.schedulerName of the Pods to decide; empty: all.
  std::set<std::string, std::less<>> schedulers;
  bool explain = true;  // decisions to wait carry their reasons; else ask Decider::ReasonsOf
};

class Queue {
 public:
  // `decider` must outlive the queue.
  Queue(Decider& decider, QueueOptions options) : decider_(decider), options_(std::move(options)) {}

  // Decides all waiting Pods in order. A Pod that fits is assumed in the cluster, then `place` is called.
  void Run(Cluster& cluster, const std::function<void(Placed)>& place);

  // The Pods that wait since the last Run, in order. Find returns nullptr where the Pod does not wait.
  std::vector<const Waiting*> waiting() const;
  const Waiting* Find(std::string_view pod_key) const;

 private:
  void Refresh(const Cluster& cluster);
  // Decides every waiting Pod once. True: a Pod that has rules about other Pods may be decided otherwise by now.
  bool Pass(Cluster& cluster, const std::function<void(Placed)>& place);
  // Keeps the Pod's plan, or makes another one.
  void Promise(Waiting& one, const Cluster& cluster, const Snapshot& snapshot, const PodWithClaims& asking, PlansAhead& ahead);
  bool NeverFits(Waiting& one, const Snapshot& snapshot, const PodWithClaims& asking);

  Decider& decider_;
  const QueueOptions options_;
  std::map<std::string, Waiting, std::less<>> waiting_;  // by key
  // Pods that started or are set aside, until the API shows them on a node: they may have to wait again, in their old place.
  std::map<std::string, Waiting, std::less<>> started_;
  uint64_t arrivals_ = 0;
};

}  // namespace allot::sched
