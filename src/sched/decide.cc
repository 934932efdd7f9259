#include "sched/decide.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/strings.h"
#include "model/memory.h"

namespace allot::sched {
namespace {

constexpr size_t kMaxMemories = 256;  // shapes of Pods whose verdicts are remembered

std::unique_ptr<const alloc::Preference> Preferring(std::string_view name) {
  Result<std::unique_ptr<const alloc::Preference>> made = alloc::MakePreference(name);
  CHECK(made.ok());
  return *std::move(made);
}

// MiB that are left on the devices of the allocations.
double LeftOver(const Node& node, const std::vector<model::Allocation>& allocations) {
  constexpr double kTieBreak = 1e-6;  // the smaller device, where as much is left
  double left = 0;
  std::map<const model::Device*, double> taken;
  for (const model::Allocation& allocation : allocations) {
    for (const model::DeviceResult& result : allocation.results) {
      const alloc::InventoryDevice* const entry = DeviceOf(node, result);
      const model::Capacity* memory = entry == nullptr || result.admin_access ? nullptr : model::MemoryOf(*entry->device);
      if (memory == nullptr) continue;
      const double whole = model::ApproximateMiB(memory->value);
      const auto [at, is_new] = taken.emplace(entry->device, 0);
      if (is_new) {
        left += whole * kTieBreak;
        if (entry->device->allow_multiple_allocations) left += whole;
        const alloc::Usage* usage = node.ledger.Find({result.driver, result.pool, result.device});
        const model::Quantity* held = usage == nullptr ? nullptr : usage->Consumed(memory->name.full);
        if (held != nullptr) left -= model::ApproximateMiB(*held);
      }
      for (const model::NamedQuantity& consumed : result.consumed_capacity) {
        if (consumed.name == memory->name.full) left -= model::ApproximateMiB(consumed.amount);
      }
    }
  }
  return left;
}

// Parts of the node's CPU and memory that are left, from 0 to 2.
double LeftOfNode(const Pod& pod, const Node& node) {
  double left = 0;
  for (const std::string_view name : {"cpu", "memory"}) {
    const auto whole = static_cast<double>(model::AmountOf(node.node->allocatable, name));
    if (whole <= 0) continue;
    const double used =
        static_cast<double>(model::AmountOf(node.used, name)) + static_cast<double>(model::AmountOf(pod.placement.requests, name));
    left += std::max(0.0, 1 - used / whole);
  }
  return left;
}

// An allocated claim is where its allocation says.
Result<std::optional<NodeReason>> WhyNotClaims(const PodWithClaims& asking, const model::Node& node) {
  using Why = std::optional<NodeReason>;
  for (const ClaimPtr& claim : asking.claims) {
    if (!claim->claim.allocation || !claim->claim.allocation->node_selector) continue;
    ASSIGN_OR_RETURN(const bool matches, claim->claim.allocation->node_selector->Matches(node).Context("claim ", claim->key));
    if (!matches) return Why(NodeReason{.kind = NodeReason::Kind::kClaimElsewhere, .claim = claim->key});
  }
  return Why();
}

// What the node and the Pod say without looking at devices.
Result<std::optional<NodeReason>> WhyNotBeforeDevices(const PodWithClaims& asking, const Node& node) {
  ASSIGN_OR_RETURN(std::optional<NodeReason> why, WhyNotHere(*asking.pod, node));
  if (why) return why;
  return WhyNotClaims(asking, *node.node);
}

std::vector<const model::ResourceClaim*> Unallocated(const PodWithClaims& asking) {
  std::vector<const model::ResourceClaim*> claims;
  for (const ClaimPtr& claim : asking.claims) {
    if (!claim->claim.allocation) claims.push_back(&claim->claim);
  }
  return claims;
}

// The Pod with its devices and amounts, without any other rule. Allocated claims are left out.
PodWithClaims WithoutRules(const PodWithClaims& asking) {
  static constexpr model::Toleration kAll{"", "Exists", "", "", std::nullopt};
  auto pod = std::make_shared<Pod>(*asking.pod);
  model::Placement& rules = pod->placement;
  rules.tolerations.push_back(kAll);
  rules.node_selector.clear();
  rules.required_nodes.reset();
  rules.affinity.clear(), rules.anti_affinity.clear(), rules.spread.clear(), rules.ports.clear();
  PodWithClaims free{std::move(pod), {}};
  for (const ClaimPtr& claim : asking.claims) {
    if (claim->claim.allocation) continue;
    auto copy = std::make_shared<Claim>(*claim);
    for (model::Request& one : copy->claim.requests) {
      if (one.exactly) one.exactly->tolerations.push_back(kAll);
      for (model::DeviceRequest& ask : one.first_available) ask.tolerations.push_back(kAll);
    }
    free.claims.push_back(std::move(copy));
  }
  return free;
}

Obstacle ObstacleOf(const PodWithClaims& asking) {
  const auto& gates = asking.pod->placement.gates;
  if (gates.empty()) return asking.obstacle;
  return {.kind = Obstacle::Kind::kGates, .gates = {gates.begin(), gates.end()}};
}

}  // namespace

Decider::Decider(cel::Cache& selectors, Random& random)
    : selectors_(selectors), random_(random), pack_(Preferring("best-fit")), spread_(Preferring("worst-fit")) {}

Decider::~Decider() = default;

Decider::Memory& Decider::Recall(const Snapshot& snapshot, const PodWithClaims& asking, Strategy strategy) {
  const std::string shape = StrCat(strategy == Strategy::kPack ? "pack " : "spread ", asking.Shape());
  if (memories_.size() >= kMaxMemories && !memories_.contains(shape)) {
    memories_.erase(
        std::min_element(memories_.begin(), memories_.end(), [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  }
  Memory& memory = memories_[shape];
  memory.used = ++clock_;
  if (memory.classes != snapshot.classes) {
    memory.classes = snapshot.classes;
    memory.verdicts.clear();
  }
  memory.verdicts.resize(snapshot.nodes.size());
  return memory;
}

Result<alloc::Answer> Decider::Allocate(const Snapshot& snapshot, const PodWithClaims& asking, const Node& node,
                                        const alloc::Ledger& ledger, Strategy strategy, bool explain) {
  alloc::Answer fits;
  fits.outcome = alloc::Answer::Outcome::kFits;
  const std::vector<const model::ResourceClaim*> claims = Unallocated(asking);
  if (claims.empty()) return fits;
  if (!node.devices->inventory) return node.devices->status;
  const alloc::Options options{
      .features = snapshot.features, .preference = (strategy == Strategy::kPack ? pack_ : spread_).get(), .explain = explain};
  const alloc::Classes none;
  const alloc::Classes& classes = snapshot.classes == nullptr ? none : snapshot.classes->classes;
  return alloc::Allocator(classes, selectors_, random_, options).Allocate(*node.devices->inventory, ledger, claims);
}

// What depends on the node alone.
Result<Decider::Verdict> Decider::Judge(const Snapshot& snapshot, const PodWithClaims& asking, const NodePtr& node, Strategy strategy) {
  Verdict verdict{node->serial.value};
  ASSIGN_OR_RETURN(const std::optional<NodeReason> why, WhyNotBeforeDevices(asking, *node));
  if (why) return verdict;
  Result<alloc::Answer> answer = Allocate(snapshot, asking, *node, node->ledger, strategy, false);
  if (!answer.ok() && answer.status().code() == Code::kUnavailable) return verdict;  // this node's trouble, for now
  if (!answer.ok()) return answer.status();
  if (answer->outcome != alloc::Answer::Outcome::kFits) return verdict;
  verdict.fits = true;
  verdict.points = NodePoints(*asking.pod, *node);
  const double left = LeftOver(*node, answer->allocations);
  constexpr double kNode = 1e-3;  // CPU and memory of the node decide where the devices do not
  verdict.cost = (strategy == Strategy::kPack ? 1 : -1) * (left + kNode * LeftOfNode(*asking.pod, *node));
  // Prefer nodes without devices for Pods that need none.
  const bool has_devices = node->devices->inventory && !node->devices->inventory->devices().empty();
  if (asking.claims.empty() && has_devices) verdict.cost += 1;
  return verdict;
}

Result<NodeReason> Decider::Explain(const Snapshot& snapshot, const PodWithClaims& asking, const Node& node) {
  using Kind = NodeReason::Kind;
  ASSIGN_OR_RETURN(std::optional<NodeReason> why, WhyNotBeforeDevices(asking, node));
  NodeReason reason = why ? *std::move(why) : NodeReason();
  reason.node = node.name();
  if (reason.kind != Kind::kNone) return reason;
  Result<alloc::Answer> answer = Allocate(snapshot, asking, node, node.ledger, Strategy::kPack, true);
  if (!answer.ok()) {
    reason.kind = Kind::kDevicesUnknown;
    reason.detail = answer.status().message();
  } else if (answer->outcome == alloc::Answer::Outcome::kGaveUp) {
    reason.kind = Kind::kTooManyCombinations;
  } else if (answer->outcome == alloc::Answer::Outcome::kDoesNotFit) {
    ASSIGN_OR_RETURN(const bool several, ExplainSeveral(snapshot, asking, node, reason));
    if (several) return reason;
    reason.devices = std::move(answer->reasons);
    reason.kind = node.devices->inventory->devices().empty() ? Kind::kNoDevices : Kind::kDevices;
  }
  return reason;
}

std::vector<Decider::Verdict>& Decider::Known(const Snapshot& snapshot, const PodWithClaims& asking, Strategy strategy,
                                              std::vector<Verdict>& none) {
  // An allocated claim is a shape of its own, which no other Pod asks for.
  if (std::none_of(asking.claims.begin(), asking.claims.end(), [](const ClaimPtr& claim) { return claim->claim.allocation.has_value(); })) {
    return Recall(snapshot, asking, strategy).verdicts;
  }
  none.resize(snapshot.nodes.size());
  return none;
}

Status Decider::Update(Verdict& verdict, const Snapshot& snapshot, const PodWithClaims& asking, const NodePtr& node, Strategy strategy) {
  if (verdict.serial != 0 && verdict.serial == node->serial.value) return Status();
  ASSIGN_OR_RETURN(verdict, Judge(snapshot, asking, node, strategy));
  return Status();
}

Result<Decision> Decider::Decide(const Snapshot& snapshot, const PodWithClaims& asking, const DecideOptions& options) {
  std::vector<Verdict> none;
  return Choose(snapshot, asking, options, Known(snapshot, asking, options.strategy, none));
}

std::vector<NodeReason> Decider::CopyOf(const std::vector<NodeReasonPtr>& reasons, const PodWithClaims& asking) {
  std::vector<NodeReason> copies;
  for (const NodeReasonPtr& reason : reasons) {
    copies.push_back(*reason);
    if (asking.claims.size() == 1 && !reason->devices.empty()) copies.back().devices.claim = asking.claims[0]->key;
  }
  return copies;
}

Result<std::vector<NodeReason>> Decider::ReasonsOf(const Snapshot& snapshot, const PodWithClaims& asking, const Decision& decision,
                                                   Strategy strategy) {
  ASSIGN_OR_RETURN(const std::vector<NodeReasonPtr> reasons, SharedReasonsOf(snapshot, asking, decision, strategy));
  return CopyOf(reasons, asking);
}

Result<std::vector<NodeReasonPtr>> Decider::SharedReasonsOf(const Snapshot& snapshot, const PodWithClaims& asking, const Decision& decision,
                                                            Strategy strategy) {
  std::vector<Verdict> none;
  return FindReasons(snapshot, asking, decision, strategy, Known(snapshot, asking, strategy, none));
}

Result<Decision> Decider::DecideOnce(const Snapshot& snapshot, const PodWithClaims& asking, Strategy strategy) {
  std::vector<Verdict> verdicts(snapshot.nodes.size());
  return Choose(snapshot, asking, {.strategy = strategy, .explain = false}, verdicts);
}

Result<Decision> Decider::Choose(const Snapshot& snapshot, const PodWithClaims& asking, const DecideOptions& options,
                                 std::vector<Verdict>& known) {
  Decision decision;
  decision.obstacle = ObstacleOf(asking);
  if (!decision.obstacle.empty()) {
    decision.outcome = Decision::Outcome::kBlocked;
    return decision;
  }
  const Pod& pod = *asking.pod;
  const OtherPods others(pod, snapshot);
  const auto better = [](const Verdict& a, int64_t points_a, const Verdict& b, int64_t points_b) {
    return points_a != points_b ? points_a > points_b : a.cost < b.cost;
  };
  std::vector<std::pair<size_t, int64_t>> candidates;  // nodes and their points;
  for (size_t i = 0; i < snapshot.nodes.size(); ++i) {
    Verdict& verdict = known[i];
    TRY(Update(verdict, snapshot, asking, snapshot.nodes[i], options.strategy));
    if (!verdict.fits) continue;
    int64_t points = verdict.points;
    if (!others.empty()) {
      const Node& node = *snapshot.nodes[i];
      if (others.WhyNot(node)) continue;
      points += others.Points(node);
    }
    candidates.emplace_back(i, points);
  }
  while (!candidates.empty()) {
    // Mostly the first one is chosen, so this is cheaper than sorting. Among equals the first by name wins.
    auto best = candidates.begin();
    for (auto at = best + 1; at != candidates.end(); ++at) {
      if (better(known[at->first], at->second, known[best->first], best->second)) best = at;
    }
    const Node& node = *snapshot.nodes[best->first];
    candidates.erase(best);
    ASSIGN_OR_RETURN(alloc::Answer answer, Allocate(snapshot, asking, node, node.ledger, options.strategy, false));
    if (answer.outcome != alloc::Answer::Outcome::kFits) continue;
    std::string keeper = options.veto ? options.veto(node, answer.allocations) : std::string();
    if (keeper.empty()) {
      decision.outcome = Decision::Outcome::kPlaced;
      decision.node = node.name();
      decision.allocations = std::move(answer.allocations);
      return decision;
    }
    decision.kept.emplace(node.name(), std::move(keeper));
  }
  if (options.explain) {
    ASSIGN_OR_RETURN(const std::vector<NodeReasonPtr> reasons, FindReasons(snapshot, asking, decision, options.strategy, known));
    decision.reasons = CopyOf(reasons, asking);
  }
  return decision;
}

Result<std::vector<NodeReasonPtr>> Decider::FindReasons(const Snapshot& snapshot, const PodWithClaims& asking, const Decision& decision,
                                                        Strategy strategy, std::vector<Verdict>& known) {
  std::vector<NodeReasonPtr> reasons;
  std::optional<OtherPods> others;     // where they are the reason
  constexpr size_t kRemembered = 256;  // nodes: more would cost too much memory
  for (size_t i = 0; i < snapshot.nodes.size(); ++i) {
    const Node& node = *snapshot.nodes[i];
    if (const auto kept = decision.kept.find(node.name()); kept != decision.kept.end()) {
      reasons.push_back(std::make_shared<const NodeReason>(
          NodeReason{.kind = NodeReason::Kind::kKept, .node = std::string(node.name()), .pod = kept->second}));
      continue;
    }
    TRY(Update(known[i], snapshot, asking, snapshot.nodes[i], strategy));
    NodeReasonPtr reason = known[i].reason;
    if (reason == nullptr) {
      ASSIGN_OR_RETURN(NodeReason found, Explain(snapshot, asking, node));
      reason = std::make_shared<const NodeReason>(std::move(found));
      // A Pod of the same shape has claims of other names: with one claim it is clear which is meant.
      if (snapshot.nodes.size() <= kRemembered && asking.claims.size() <= 1) known[i].reason = reason;
    }
    if (reason->kind == NodeReason::Kind::kNone) {
      if (!others) others.emplace(*asking.pod, snapshot);
      std::optional<NodeReason> why = others->WhyNot(node);
      NodeReason about_others = why ? *std::move(why) : NodeReason();
      about_others.node = node.name();
      reason = std::make_shared<const NodeReason>(std::move(about_others));
    }
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

Result<std::optional<std::vector<model::Allocation>>> Decider::DecideOn(const Snapshot& snapshot, const NodePtr& node,
                                                                        const PodWithClaims& asking, Strategy strategy) {
  using Allocations = std::optional<std::vector<model::Allocation>>;
  if (!ObstacleOf(asking).empty()) return Allocations();
  ASSIGN_OR_RETURN(const std::optional<NodeReason> why, WhyNotBeforeDevices(asking, *node));
  if (why) return Allocations();
  ASSIGN_OR_RETURN(alloc::Answer answer, Allocate(snapshot, asking, *node, node->ledger, strategy, false));
  if (answer.outcome != alloc::Answer::Outcome::kFits) return Allocations();
  const bool looks = LooksAtOthers(*asking.pod);
  if (!looks && snapshot.anti_affinity_nodes.empty() && !node->has_anti_affinity) return Allocations(std::move(answer.allocations));
  // The node among the others; these matter only to the Pod's own rules.
  Snapshot world;
  if (looks) world.nodes = snapshot.nodes;
  world.anti_affinity_nodes = snapshot.anti_affinity_nodes;
  world.namespaces = snapshot.namespaces;
  const size_t index = world.IndexOf(node->name());
  const bool there = index < world.nodes.size() && world.nodes[index]->name() == node->name();
  std::erase_if(world.anti_affinity_nodes, [&](const NodePtr& keeper) { return keeper->name() == node->name(); });
  if (there) world.nodes.erase(world.nodes.begin() + static_cast<ptrdiff_t>(index));
  world.Insert(index, node);
  if (OtherPods(*asking.pod, world).WhyNot(*node)) return Allocations();
  return Allocations(std::move(answer.allocations));
}

Result<Decider::Fit> Decider::FitWhenEmpty(const Snapshot& snapshot, const Node& node, const PodWithClaims& asking) {
  ASSIGN_OR_RETURN(std::optional<NodeReason> why, WhyNotWhenEmpty(*asking.pod, *node.node));
  if (!why) {
    ASSIGN_OR_RETURN(why, WhyNotClaims(asking, *node.node));
  }
  if (why) return Fit::kNo;
  alloc::Ledger own;
  for (const ClaimPtr& claim : asking.claims) {
    if (claim->claim.allocation) own.Add(claim->claim);
  }
  const Result<alloc::Answer> answer = Allocate(snapshot, asking, node, own, Strategy::kPack, false);
  if (!answer.ok() && answer.status().code() == Code::kUnavailable) return Fit::kUnknown;
  if (!answer.ok()) return answer.status();
  if (answer->outcome == alloc::Answer::Outcome::kFits) return Fit::kYes;
  const auto& pools = node.devices->inventory->pools();
  const bool known = std::all_of(pools.begin(), pools.end(), [](const alloc::Pool& pool) { return pool.usable(); });
  return known && answer->outcome == alloc::Answer::Outcome::kDoesNotFit ? Fit::kNo : Fit::kUnknown;
}

Result<bool> Decider::FitsWhenEmpty(const Snapshot& snapshot, const Node& node, const PodWithClaims& asking) {
  ASSIGN_OR_RETURN(const Fit fit, FitWhenEmpty(snapshot, node, asking));
  return fit == Fit::kYes;
}

Result<bool> Decider::NeverFits(const Snapshot& snapshot, const PodWithClaims& asking) {
  const PodWithClaims free = WithoutRules(asking);
  for (const NodePtr& node : snapshot.nodes) {
    ASSIGN_OR_RETURN(const Fit fit, FitWhenEmpty(snapshot, *node, free));
    if (fit != Fit::kNo) return false;
  }
  return true;
}

Result<std::vector<NodeReason>> Decider::WhyNever(const Snapshot& snapshot, const PodWithClaims& asking) {
  const PodWithClaims free = WithoutRules(asking);
  std::vector<NodeReason> reasons;
  for (const NodePtr& node : snapshot.nodes) {
    Node empty;
    empty.document = node->document;
    empty.node = node->node;
    empty.devices = node->devices;
    ASSIGN_OR_RETURN(NodeReason reason, Explain(snapshot, free, empty));
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace allot::sched
