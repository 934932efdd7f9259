#include "sched/queue.h"

#include <algorithm>
#include <utility>

#include "base/random.h"

namespace allot::sched {
namespace {

constexpr size_t kMaxPlans = 256;  // later ones wait without a promise

bool Before(const Waiting* a, const Waiting* b) {
  const int64_t first = a->pod->placement.priority, second = b->pod->placement.priority;
  return first != second ? first > second : a->arrival < b->arrival;
}

// Whether other nodes see some of these devices too.
bool AreSeenElsewhere(const Node& node, const std::vector<model::Allocation>& allocations) {
  const auto seen = [&](const model::DeviceResult& result) {
    return std::any_of(node.devices->slices.begin(), node.devices->slices.end(), [&](const auto& held) {
      const model::ResourceSlice& slice = held->slice;
      return slice.pool == result.pool && slice.driver == result.driver && slice.nodes.node_name.value_or("") != node.name();
    });
  };
  return std::any_of(allocations.begin(), allocations.end(), [&](const model::Allocation& allocation) {
    return std::any_of(allocation.results.begin(), allocation.results.end(), seen);
  });
}

bool KeepsAway(const Pod& pod) {
  return std::any_of(pod.placement.away.begin(), pod.placement.away.end(), [](const model::PodTerm& term) { return term.weight == 0; });
}

// Whether the Pod, when it is on a node, may keep others from `other`.
bool KeepsAwayFrom(const Pod& pod, const model::Node& node, const model::Node& other) {
  return std::any_of(pod.placement.away.begin(), pod.placement.away.end(), [&](const model::PodTerm& term) {
    const std::string_view *here = node.Label(term.topology_key), *there = other.Label(term.topology_key);
    return term.weight == 0 && here != nullptr && there != nullptr && *here == *there;
  });
}

// Whether they name a claim that the second one is still to get.
bool Shares(const Request& one, const Request& other) {
  return std::any_of(other.claims.begin(), other.claims.end(),
                     [&](const ClaimPtr& claim) { return !claim->claim.allocation && Has(one, *claim); });
}

// The request when `placed` is so: claims that it shares with a Pod there are allocated then.
Request AfterOthers(Request request, const Node& placed) {
  for (ClaimPtr& claim : request.claims) {
    if (claim->claim.allocation) continue;
    const auto at =
        std::find_if(placed.claims.begin(), placed.claims.end(), [&](const ClaimPtr& one) { return one->claim.uid == claim->claim.uid; });
    if (at != placed.claims.end()) claim = *at;
  }
  return request;
}

std::pair<std::string_view, std::string_view> BirthOf(const Pod& pod) { return {pod.created, TimeOfUuid(pod.pod.uid)}; }

}  // namespace

bool WasMadeBefore(const Pod& a, const Pod& b) { return BirthOf(a) < BirthOf(b); }

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
  // Who is set aside keeps its place in the order.
  for (auto& [key, one] : waiting_) {
    const PodPtr pod = now.contains(key) ? nullptr : cluster.FindPod(key);
    if (pod != nullptr && pod->pod.uid == one.pod->pod.uid) started_.insert_or_assign(key, std::move(one));
  }
  std::erase_if(started_, [&](const auto& one) {
    const PodPtr pod = cluster.FindPod(one.first);
    return now.contains(one.first) || pod == nullptr || pod->ended || !pod->pod.node_name.empty();
  });
  // Those that come together, as all do after a restart. Of the same moment: the order of the API's list, by namespace and name.
  std::stable_sort(fresh.begin(), fresh.end(), [](const Waiting* a, const Waiting* b) { return WasMadeBefore(*a->pod, *b->pod); });
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

NodePtr Queue::Fulfil(const Waiting& one, const Snapshot& snapshot, const Node& node, const Request& request) {
  const Request then = AfterOthers(request, node);
  const NodePtr free = NodeWithout(node, one.plan->ends, &then);
  const auto allocations = FitsOn(decider_, snapshot, free, then);
  return allocations ? NodeWith(*free, then, *allocations, snapshot.classes) : nullptr;
}

Queue::Outlook Queue::LookAhead(const Snapshot& snapshot, NodePtr node, const Ahead& ahead) {
  for (const auto& [one, request] : ahead.waiting) {
    if (one->plan->node != node->name()) continue;
    node = Fulfil(*one, snapshot, *node, request);
    if (node == nullptr) return {nullptr, one};
  }
  return {std::move(node), nullptr};
}

const Waiting* Queue::DelayedElsewhere(const Snapshot& snapshot, const NodePtr& placed, const Request& request, bool shared,
                                       const Ahead& ahead) {
  std::set<std::string_view> touched;  // nodes
  for (const auto& [one, theirs] : ahead.waiting) {
    const Node* there = one->plan->node == placed->name() ? nullptr : snapshot.Find(one->plan->node);
    if (there != nullptr &&
        (shared || LooksAtOthers(*one->pod) || KeepsAwayFrom(*request.pod, *placed->node, *there->node) || Shares(theirs, request))) {
      touched.insert(there->name());
    }
  }
  if (touched.empty()) return nullptr;
  Snapshot world = snapshot;
  world.Replace(world.IndexOf(placed->name()), placed);
  for (const std::string_view name : touched) {
    const NodePtr& node = world.nodes[world.IndexOf(name)];
    if (const Waiting* delayed = LookAhead(world, shared ? NodeBeside(*node, *placed) : node, ahead).delayed) return delayed;
  }
  return nullptr;
}

std::string Queue::Veto(const Snapshot& snapshot, const Node& node, const Request& request, std::vector<model::Allocation>& allocations,
                        const Ahead& ahead) {
  if (ahead.waiting.empty()) return "";
  const auto future = ahead.future.find(node.name());
  const bool here = future != ahead.future.end(), keeps_away = KeepsAway(*request.pod);
  const auto delayed_by = [&](const std::vector<model::Allocation>& tried) -> const Waiting* {
    const bool shared = AreSeenElsewhere(node, tried), elsewhere = shared || keeps_away || ahead.look_at_others || ahead.share;
    if (!here && !elsewhere) return nullptr;
    const NodePtr placed = NodeWith(node, request, tried, snapshot.classes);
    Ahead changed;
    if (ahead.share) {
      changed = ahead;
      for (auto& [one, theirs] : changed.waiting) theirs = AfterOthers(std::move(theirs), *placed);
    }
    const Ahead& then = ahead.share ? changed : ahead;
    const Waiting* delayed = here ? LookAhead(snapshot, placed, then).delayed : nullptr;
    return delayed != nullptr || !elsewhere ? delayed : DelayedElsewhere(snapshot, placed, request, shared, then);
  };
  const Waiting* delayed = delayed_by(allocations);
  if (delayed == nullptr) return "";
  // Perhaps there are devices that nobody ahead waits for.
  NodePtr beside = here ? NodeBeside(node, *future->second) : nullptr;
  if (AreSeenElsewhere(node, allocations)) {
    for (const auto& [name, then] : ahead.future) beside = NodeBeside(beside == nullptr ? node : *beside, *then);
  }
  if (beside == nullptr) return delayed->pod->key;
  Result<std::optional<std::vector<model::Allocation>>> others = decider_.DecideOn(snapshot, beside, request, options_.strategy);
  if (!others.ok() || !*others || delayed_by(**others) != nullptr) return delayed->pod->key;
  allocations = std::move(**others);
  return "";
}

bool Queue::NeverFits(Waiting& one, const Snapshot& snapshot, const Request& request) {
  std::string asked = request.Shape();
  if (one.hardware != 0 && one.hardware == snapshot.hardware && one.asked == asked) return one.never;
  const Result<bool> never = decider_.NeverFits(snapshot, request);
  one.hardware = snapshot.hardware;
  one.asked = std::move(asked);
  return never.ok() && *never;
}

void Queue::Promise(Waiting& one, const Cluster& cluster, const Snapshot& snapshot, const Request& request, Ahead& ahead) {
  // With what those ahead will have of the claims that they share.
  Request shared = request;
  for (const auto& [name, node] : ahead.future) {
    if (ahead.share) shared = AfterOthers(std::move(shared), *node);
  }
  // A plan stands on those ahead of it on its node; and on the end of whoever is to have one of its claims for a time.
  const auto stand_on_theirs = [&] {
    for (const auto& [other, theirs] : ahead.waiting) {
      const bool after = ahead.share && Shares(theirs, shared);
      if (other->plan->node != one.plan->node && !after) continue;
      if (after) one.plan->ends.insert(other->pod->key);
      for (const std::string& end : other->plan->ends) {
        if (end != one.pod->key) one.plan->ends.insert(end);  // they may wait for what it holds already
      }
    }
  };
  const auto keep = [&](NodePtr then) {
    NameEnds(*one.plan, cluster, snapshot);
    ahead.future[one.plan->node] = std::move(then);
    ahead.waiting.emplace_back(&one, request);
    ahead.look_at_others = ahead.look_at_others || LooksAtOthers(*one.pod);
  };
  const auto now = [&](const std::string& name) -> const Node* {
    const auto future = ahead.future.find(name);
    return future != ahead.future.end() ? future->second.get() : snapshot.Find(name);
  };
  if (one.plan) {
    DropEnded(*one.plan, cluster, snapshot);
    const Node* node = now(one.plan->node);
    NodePtr then = node == nullptr ? nullptr : Fulfil(one, snapshot, *node, shared);
    if (then != nullptr) {
      if (one.plan->ends.empty()) stand_on_theirs();
      return keep(std::move(then));
    }
    one.plan.reset();
  }
  one.never = NeverFits(one, snapshot, request);
  if (one.never || ahead.waiting.size() >= kMaxPlans) return;
  // With those ahead in place, as they will be.
  Snapshot later = snapshot;
  for (const auto& [name, node] : ahead.future) {
    const size_t index = later.IndexOf(name);
    if (index < later.nodes.size() && later.nodes[index]->name() == name) later.Replace(index, node);
  }
  one.plan = MakePlan(decider_, later, shared);
  if (!one.plan) return;
  stand_on_theirs();
  const Node* node = now(one.plan->node);
  NodePtr then = node == nullptr ? nullptr : Fulfil(one, snapshot, *node, shared);
  if (then != nullptr) return keep(std::move(then));
  one.plan.reset();  // it would need somebody ahead on another node
}

void Queue::Run(Cluster& cluster, const std::function<void(Placed)>& place) {
  Refresh(cluster);
  // Who looks at others may have waited for one that came after it. It ends: somebody starts in every pass but the last.
  while (Pass(cluster, place)) continue;
}

bool Queue::Pass(Cluster& cluster, const std::function<void(Placed)>& place) {
  std::vector<Waiting*> order;
  for (auto& [key, one] : waiting_) order.push_back(&one);
  std::sort(order.begin(), order.end(), Before);
  Ahead ahead;
  std::vector<std::string> started;  // keys
  bool looks = false, again = false;
  std::shared_ptr<const Snapshot> snapshot = cluster.Take();
  for (Waiting* one : order) {
    Request request = cluster.RequestOf(one->pod);
    if (request.obstacle.empty()) request.obstacle = WhyNotVolumes(*one->pod);
    ahead.share = std::any_of(ahead.waiting.begin(), ahead.waiting.end(), [&](const auto& other) { return Shares(other.second, request); });
    DecideOptions options;
    options.strategy = options_.strategy;
    options.explain = options_.explain;
    options.veto = [&](const Node& node, std::vector<model::Allocation>& allocations) {
      return Veto(*snapshot, node, request, allocations, ahead);
    };
    Result<Decision> decision = decider_.Decide(*snapshot, request, options);
    one->error = decision.ok() ? std::string() : decision.status().message();
    one->decision = decision.ok() ? *std::move(decision) : Decision();
    if (one->decision.outcome == Decision::Outcome::kPlaced) {
      const auto overtaken = std::count_if(ahead.waiting.begin(), ahead.waiting.end(), [&](const auto& other) {
        return other.first->pod->placement.priority == one->pod->placement.priority;
      });
      const bool shared = AreSeenElsewhere(*snapshot->Find(one->decision.node), one->decision.allocations);
      cluster.Assume(request, one->decision.node, one->decision.allocations, *snapshot);
      place({request, one->decision.node, std::move(one->decision.allocations), snapshot, static_cast<size_t>(overtaken)});
      started.push_back(one->pod->key);
      again = again || looks;
      snapshot = cluster.Take();
      for (auto& [other, theirs] : ahead.waiting) {
        if (ahead.share && Shares(theirs, request)) theirs = cluster.RequestOf(other->pod);
      }
      const auto look_again = [&](const std::string& name, NodePtr& future) {
        if (NodePtr then = LookAhead(*snapshot, snapshot->nodes[snapshot->IndexOf(name)], ahead).node) future = std::move(then);
      };
      if (shared || ahead.share) {
        for (auto& [name, future] : ahead.future) look_again(name, future);
      } else if (const auto future = ahead.future.find(one->decision.node); future != ahead.future.end()) {
        look_again(future->first, future->second);
      }
      continue;
    }
    looks = looks || LooksAtOthers(*one->pod);
    if (!one->error.empty() || one->decision.outcome == Decision::Outcome::kHeld) {
      one->plan.reset();
    } else {
      Promise(*one, cluster, *snapshot, request, ahead);
    }
  }
  for (const std::string& key : started) started_.insert(waiting_.extract(key));
  return again;
}

}  // namespace allot::sched
