#include "sched/plans_ahead.h"

#include <algorithm>
#include <set>

namespace allot::sched {
namespace {

constexpr size_t kMaxPlans = 256;  // later Pods wait without a plan

bool HasAntiAffinity(const Pod& pod) {
  return std::any_of(pod.placement.anti_affinity.begin(), pod.placement.anti_affinity.end(),
                     [](const model::PodTerm& term) { return term.weight == 0; });
}

// Whether the Pod, when it is on `node`, may keep others from `other`.
bool MayExcludeFrom(const Pod& pod, const model::Node& node, const model::Node& other) {
  return std::any_of(pod.placement.anti_affinity.begin(), pod.placement.anti_affinity.end(), [&](const model::PodTerm& term) {
    const std::string_view *here = node.Label(term.topology_key), *there = other.Label(term.topology_key);
    return term.weight == 0 && here != nullptr && there != nullptr && *here == *there;
  });
}

// Whether both name a claim that is not allocated yet.
bool Shares(const PodWithClaims& one, const PodWithClaims& other) {
  return std::any_of(other.claims.begin(), other.claims.end(),
                     [&](const ClaimPtr& claim) { return !claim->claim.allocation && Has(one, *claim); });
}

// The Pod with the allocations that its claims have on `placed`.
PodWithClaims AfterOthers(PodWithClaims asking, const Node& placed) {
  for (ClaimPtr& claim : asking.claims) {
    if (claim->claim.allocation) continue;
    const auto at =
        std::find_if(placed.claims.begin(), placed.claims.end(), [&](const ClaimPtr& one) { return one->claim.uid == claim->claim.uid; });
    if (at != placed.claims.end()) claim = *at;
  }
  return asking;
}

}  // namespace

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

void PlansAhead::Ask(const PodWithClaims& asking) {
  asking_ = &asking;
  share_ = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& other) { return Shares(other.asking, asking); });
}

NodePtr PlansAhead::Fulfil(const Plan& plan, const Snapshot& snapshot, const Node& node, const PodWithClaims& asking) const {
  const PodWithClaims then = AfterOthers(asking, node);
  const NodePtr free = NodeWithout(node, plan.ends, &then);
  const auto allocations = FitsOn(decider_, snapshot, free, then);
  return allocations ? NodeWith(*free, then, *allocations) : nullptr;
}

PlansAhead::Outlook PlansAhead::LookAhead(const Snapshot& snapshot, NodePtr node, const std::vector<Entry>& entries) const {
  for (const Entry& one : entries) {
    if (one.plan->node != node->name()) continue;
    node = Fulfil(*one.plan, snapshot, *node, one.asking);
    if (node == nullptr) return {nullptr, &one};
  }
  return {std::move(node), nullptr};
}

const PlansAhead::Entry* PlansAhead::DelayedElsewhere(const Snapshot& snapshot, const NodePtr& placed, bool seen_elsewhere,
                                                      const std::vector<Entry>& entries) const {
  std::set<std::string_view> touched;  // nodes
  for (const Entry& one : entries) {
    const Node* there = one.plan->node == placed->name() ? nullptr : snapshot.Find(one.plan->node);
    if (there != nullptr && (seen_elsewhere || LooksAtOthers(*one.asking.pod) ||
                             MayExcludeFrom(*asking_->pod, *placed->node, *there->node) || Shares(one.asking, *asking_))) {
      touched.insert(there->name());
    }
  }
  if (touched.empty()) return nullptr;
  Snapshot world = snapshot;
  world.Replace(world.IndexOf(placed->name()), placed);
  for (const std::string_view name : touched) {
    const NodePtr& node = world.nodes[world.IndexOf(name)];
    if (const Entry* delayed = LookAhead(world, seen_elsewhere ? NodeBeside(*node, *placed) : node, entries).delayed) return delayed;
  }
  return nullptr;
}

const PlansAhead::Entry* PlansAhead::DelayedBy(const Snapshot& snapshot, const Node& node,
                                               const std::vector<model::Allocation>& allocations) const {
  const bool here = future_.contains(node.name()), seen_elsewhere = AreSeenElsewhere(node, allocations);
  const bool elsewhere = seen_elsewhere || HasAntiAffinity(*asking_->pod) || look_at_others_ || share_;
  if (!here && !elsewhere) return nullptr;
  const NodePtr placed = NodeWith(node, *asking_, allocations);
  std::vector<Entry> changed;
  if (share_) {
    changed = entries_;
    for (Entry& one : changed) one.asking = AfterOthers(std::move(one.asking), *placed);
  }
  const std::vector<Entry>& then = share_ ? changed : entries_;
  const Entry* delayed = here ? LookAhead(snapshot, placed, then).delayed : nullptr;
  if (delayed == nullptr && elsewhere) delayed = DelayedElsewhere(snapshot, placed, seen_elsewhere, then);
  return delayed == nullptr ? nullptr : &entries_[static_cast<size_t>(delayed - then.data())];
}

std::string PlansAhead::Veto(const Snapshot& snapshot, const Node& node, std::vector<model::Allocation>& allocations) const {
  if (entries_.empty()) return "";
  const Entry* const delayed = DelayedBy(snapshot, node, allocations);
  if (delayed == nullptr) return "";
  // There may be devices that no plan needs.
  const auto future = future_.find(node.name());
  NodePtr beside = future != future_.end() ? NodeBeside(node, *future->second) : nullptr;
  if (AreSeenElsewhere(node, allocations)) {
    for (const auto& [name, then] : future_) beside = NodeBeside(beside == nullptr ? node : *beside, *then);
  }
  if (beside == nullptr) return delayed->asking.pod->key;
  Result<std::optional<std::vector<model::Allocation>>> others = decider_.DecideOn(snapshot, beside, *asking_, strategy_);
  if (!others.ok() || !*others || DelayedBy(snapshot, node, **others) != nullptr) return delayed->asking.pod->key;
  allocations = std::move(**others);
  return "";
}

const Node* PlansAhead::Later(const std::string& name, const Snapshot& snapshot) const {
  const auto future = future_.find(name);
  return future != future_.end() ? future->second.get() : snapshot.Find(name);
}

PodWithClaims PlansAhead::AskingLater() const {
  PodWithClaims shared = *asking_;
  if (!share_) return shared;
  for (const auto& [name, node] : future_) shared = AfterOthers(std::move(shared), *node);
  return shared;
}

void PlansAhead::StandOnOthers(Plan& plan, const PodWithClaims& shared) const {
  for (const Entry& other : entries_) {
    // A Pod that will have one of the claims keeps it until that Pod ends.
    const bool after = share_ && Shares(other.asking, shared);
    if (other.plan->node != plan.node && !after) continue;
    if (after) plan.ends.insert(other.asking.pod->key);
    for (const std::string& end : other.plan->ends) {
      if (end != asking_->pod->key) plan.ends.insert(end);  // Pods ahead may wait for devices that the asking Pod holds already
    }
  }
}

void PlansAhead::Add(Plan& plan, NodePtr then, const Cluster& cluster, const Snapshot& snapshot) {
  NameEnds(plan, cluster, snapshot);
  future_[plan.node] = std::move(then);
  entries_.push_back({*asking_, &plan});
  look_at_others_ = look_at_others_ || LooksAtOthers(*asking_->pod);
}

bool PlansAhead::Keep(Plan& plan, const Cluster& cluster, const Snapshot& snapshot) {
  DropEnded(plan, cluster, snapshot);
  const PodWithClaims shared = AskingLater();
  const Node* node = Later(plan.node, snapshot);
  NodePtr then = node == nullptr ? nullptr : Fulfil(plan, snapshot, *node, shared);
  if (then == nullptr) return false;
  if (plan.ends.empty()) StandOnOthers(plan, shared);
  Add(plan, std::move(then), cluster, snapshot);
  return true;
}

void PlansAhead::Make(std::optional<Plan>& plan, const Cluster& cluster, const Snapshot& snapshot) {
  plan.reset();
  if (entries_.size() >= kMaxPlans) return;
  Snapshot later = snapshot;
  for (const auto& [name, node] : future_) {
    const size_t index = later.IndexOf(name);
    if (index < later.nodes.size() && later.nodes[index]->name() == name) later.Replace(index, node);
  }
  const PodWithClaims shared = AskingLater();
  plan = MakePlan(decider_, later, shared);
  if (!plan) return;
  StandOnOthers(*plan, shared);
  const Node* node = Later(plan->node, snapshot);
  NodePtr then = node == nullptr ? nullptr : Fulfil(*plan, snapshot, *node, shared);
  if (then != nullptr) return Add(*plan, std::move(then), cluster, snapshot);
  plan.reset();  // the plan needs a Pod ahead on another node
}

void PlansAhead::Start(const Cluster& cluster, const Snapshot& snapshot, std::string_view node, bool seen_elsewhere) {
  if (share_) {
    for (Entry& other : entries_) {
      if (Shares(other.asking, *asking_)) other.asking = cluster.WithClaims(other.asking.pod);
    }
  }
  const auto look_again = [&](const std::string& name, NodePtr& future) {
    if (NodePtr then = LookAhead(snapshot, snapshot.nodes[snapshot.IndexOf(name)], entries_).node) future = std::move(then);
  };
  if (seen_elsewhere || share_) {
    for (auto& [name, future] : future_) look_again(name, future);
  } else if (const auto future = future_.find(node); future != future_.end()) {
    look_again(future->first, future->second);
  }
}

size_t PlansAhead::CountOf(int64_t priority) const {
  return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(),
                                           [&](const Entry& other) { return other.asking.pod->placement.priority == priority; }));
}

}  // namespace allot::sched
