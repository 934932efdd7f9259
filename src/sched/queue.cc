#include "sched/queue.h"

#include <algorithm>
#include <utility>

#include "sched/order.h"

namespace allot::sched {
namespace {

bool Before(const Waiting* a, const Waiting* b) {
  const std::strong_ordering order = ComparePriorities(*a->pod, *b->pod);
  return order != 0 ? order < 0 : a->arrival < b->arrival;
}

}  // namespace

void Queue::Refresh(const Cluster& cluster) {
  std::map<std::string, Waiting, std::less<>> now;
  std::vector<Waiting*> fresh;
  for (const PodPtr& pod : cluster.Unplaced()) {
    if (!options_.schedulers.empty() && !options_.schedulers.contains(pod->placement.scheduler)) continue;
    Waiting& one = now[pod->key];
    bool same = false;
    for (auto* known : {&waiting_, &started_}) {
      const auto at = known->find(pod->key);
      if (same || at == known->end() || at->second.pod->pod.uid != pod->pod.uid) continue;
      one = std::move(at->second);
      same = true;
    }
    one.pod = pod;
    if (!same) fresh.push_back(&one);
  }
  // A Pod that is set aside keeps its place in the order.
  for (auto& [key, one] : waiting_) {
    const PodPtr pod = now.contains(key) ? nullptr : cluster.FindPod(key);
    if (pod != nullptr && pod->pod.uid == one.pod->pod.uid) started_.insert_or_assign(key, std::move(one));
  }
  std::erase_if(started_, [&](const auto& one) {
    const PodPtr pod = cluster.FindPod(one.first);
    return now.contains(one.first) || pod == nullptr || pod->ended || !pod->pod.node_name.empty();
  });
  // Several Pods may be new at once, as after a restart.
  std::stable_sort(fresh.begin(), fresh.end(), [](const Waiting* a, const Waiting* b) { return CompareTurns(*a->pod, *b->pod) < 0; });
  for (Waiting* one : fresh) one->arrival = ++arrivals_;
  waiting_ = std::move(now);
}

std::vector<const Waiting*> Queue::waiting() const {
  std::vector<const Waiting*> order;
  for (const auto& [key, one] : waiting_) order.push_back(&one);
  std::sort(order.begin(), order.end(), Before);
  return order;
}

const Waiting* Queue::Find(std::string_view pod_key) const {
  const auto at = waiting_.find(pod_key);
  return at == waiting_.end() ? nullptr : &at->second;
}

bool Queue::NeverFits(Waiting& one, const Snapshot& snapshot, const PodWithClaims& asking) {
  std::string asked = asking.Shape();
  if (one.hardware != 0 && one.hardware == snapshot.hardware && one.asked == asked) return one.never;
  const Result<bool> never = decider_.NeverFits(snapshot, asking);
  one.hardware = snapshot.hardware;
  one.asked = std::move(asked);
  return never.ok() && *never;
}

void Queue::Promise(Waiting& one, const Cluster& cluster, const Snapshot& snapshot, const PodWithClaims& asking, PlansAhead& ahead) {
  if (one.plan && ahead.Keep(*one.plan, cluster, snapshot)) return;
  one.plan.reset();
  one.never = NeverFits(one, snapshot, asking);
  if (!one.never) ahead.Make(one.plan, cluster, snapshot);
}

void Queue::Run(Cluster& cluster, const std::function<void(Placed)>& place) {
  Refresh(cluster);
  // A Pod with rules about other Pods may have waited for a later Pod. The loop ends: a Pod starts in every pass but the last.
  while (Pass(cluster, place)) continue;
}

bool Queue::Pass(Cluster& cluster, const std::function<void(Placed)>& place) {
  std::vector<Waiting*> order;
  for (auto& [key, one] : waiting_) order.push_back(&one);
  std::sort(order.begin(), order.end(), Before);
  PlansAhead ahead(decider_, options_.strategy);
  std::vector<std::string> started;  // keys
  bool looks = false, again = false;
  std::shared_ptr<const Snapshot> snapshot = cluster.Take();
  for (Waiting* one : order) {
    PodWithClaims asking = cluster.WithClaims(one->pod);
    if (asking.obstacle.empty()) asking.obstacle = VolumeObstacle(*one->pod);
    ahead.Ask(asking);
    DecideOptions options;
    options.strategy = options_.strategy;
    options.explain = options_.explain;
    options.veto = [&](const Node& node, std::vector<model::Allocation>& allocations) { return ahead.Veto(*snapshot, node, allocations); };
    Result<Decision> decision = decider_.Decide(*snapshot, asking, options);
    one->error = decision.ok() ? std::string() : decision.status().message();
    one->decision = decision.ok() ? *std::move(decision) : Decision();
    if (one->decision.outcome == Decision::Outcome::kPlaced) {
      const size_t overtaken = ahead.CountOf(one->pod->placement.priority);
      const bool seen_elsewhere = AreSeenElsewhere(*snapshot->Find(one->decision.node), one->decision.allocations);
      cluster.Assume(asking, one->decision.node, one->decision.allocations);
      place({asking, one->decision.node, std::move(one->decision.allocations), overtaken});
      started.push_back(one->pod->key);
      again = again || looks;
      snapshot = cluster.Take();
      ahead.Start(cluster, *snapshot, one->decision.node, seen_elsewhere);
      continue;
    }
    looks = looks || LooksAtOthers(*one->pod);
    if (!one->error.empty() || one->decision.outcome == Decision::Outcome::kBlocked) {
      one->plan.reset();
    } else {
      Promise(*one, cluster, *snapshot, asking, ahead);
    }
  }
  for (const std::string& key : started) started_.insert(waiting_.extract(key));
  return again;
}

}  // namespace allot::sched
