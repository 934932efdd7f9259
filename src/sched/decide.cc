#include "sched/decide.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace allot::sched {
namespace {

constexpr size_t kMaxMemories = 256;  // shapes of Pods that are remembered

std::unique_ptr<const alloc::Preference> Preferring(std::string_view name) {
  Result<std::unique_ptr<const alloc::Preference>> made = alloc::MakePreference(name);
  CHECK(made.ok());
  return *std::move(made);
}

const model::Capacity* MemoryOf(const model::Device& device) {
  const auto at = std::find_if(device.capacity.begin(), device.capacity.end(), [](const auto& c) { return c.name.id == "memory"; });
  return at == device.capacity.end() ? nullptr : &*at;
}

// MiB that are left on the devices of the allocations.
double LeftOver(const Node& node, const std::vector<model::Allocation>& allocations) {
  constexpr double kMiB = 1 << 20;
  constexpr double kTieBreak = 1e-6;  // the smaller device, where as much is left
  double left = 0;
  std::map<const model::Device*, double> taken;
  for (const model::Allocation& allocation : allocations) {
    for (const model::DeviceResult& result : allocation.results) {
      const alloc::InventoryDevice* const entry = DeviceOf(node, result);
      const model::Capacity* memory = entry == nullptr || result.admin_access ? nullptr : MemoryOf(*entry->device);
      if (memory == nullptr) continue;
      const double whole = memory->value.AsApproximateFloat64() / kMiB;
      const auto [at, is_new] = taken.emplace(entry->device, 0);
      if (is_new) {
        left += whole * kTieBreak;
        if (entry->device->allow_multiple_allocations) left += whole;
        const alloc::Usage* usage = node.ledger.Find({result.driver, result.pool, result.device});
        const model::Quantity* held = usage == nullptr ? nullptr : usage->Consumed(memory->name.full);
        if (held != nullptr) left -= held->AsApproximateFloat64() / kMiB;
      }
      for (const model::NamedQuantity& consumed : result.consumed_capacity) {
        if (consumed.name == memory->name.full) left -= consumed.amount.AsApproximateFloat64() / kMiB;
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

// A claim that is allocated is where its allocation says.
Result<std::string> WhyNotClaims(const Request& request, const model::Node& node) {
  for (const ClaimPtr& claim : request.claims) {
    if (!claim->claim.allocation || !claim->claim.allocation->node_selector) continue;
    ASSIGN_OR_RETURN(const bool matches, claim->claim.allocation->node_selector->Matches(node).Context("claim ", claim->key));
    if (!matches) return StrCat("claim ", claim->key, " is allocated on another node");
  }
  return std::string();
}

std::vector<const model::ResourceClaim*> Unallocated(const Request& request) {
  std::vector<const model::ResourceClaim*> claims;
  for (const ClaimPtr& claim : request.claims) {
    if (!claim->claim.allocation) claims.push_back(&claim->claim);
  }
  return claims;
}

// The request with nothing but the devices and amounts that it needs. What is allocated it has.
Request WithoutRules(const Request& request) {
  static constexpr model::Toleration kAll{"", "Exists", "", "", std::nullopt};
  auto pod = std::make_shared<Pod>(*request.pod);
  model::Placement& rules = pod->placement;
  rules.tolerations.push_back(kAll);
  rules.node_selector.clear();
  rules.required_nodes.reset();
  rules.near.clear(), rules.away.clear(), rules.spread.clear(), rules.ports.clear();
  Request free{std::move(pod), {}};
  for (const ClaimPtr& claim : request.claims) {
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

std::string WhyHeld(const Request& request) {
  const auto& gates = request.pod->placement.gates;
  if (gates.empty()) return request.obstacle;
  std::vector<std::string> names(gates.begin(), gates.end());
  return StrCat("it has scheduling gates (", Join(names, ", "), "): whoever set them has to remove them");
}

// The same reasons together: those who have the most first.
std::vector<std::vector<const Refusal*>> Group(const std::vector<const Refusal*>& refusals) {
  std::vector<std::vector<const Refusal*>> groups;
  std::map<std::string_view, size_t> index;
  for (const Refusal* refusal : refusals) {
    const auto [at, is_new] = index.emplace(refusal->text, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(refusal);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return groups;
}

std::string Summarize(const std::vector<const Refusal*>& refusals) {
  if (refusals.empty()) return "there are no nodes";
  constexpr size_t kEnough = 4096;  // bytes, which is more than anybody is told
  std::string text = StrCat("0/", refusals.size(), " nodes will do");
  const char* separator = ": ";
  size_t told = 0;
  for (const std::vector<const Refusal*>& group : Group(refusals)) {
    if (text.size() > kEnough) return StrCat(text, "; and ", refusals.size() - told, " more nodes");
    told += group.size();
    std::vector<std::string> nodes;
    for (const Refusal* refusal : group) nodes.push_back(refusal->node);
    text += StrCat(separator, alloc::Shortened(nodes), ": ", group[0]->text);
    separator = "; ";
    // Of a node that stands for itself, the numbers too.
    const std::vector<alloc::Reason>& reasons = group[0]->devices.reasons;
    if (group.size() > 1 || reasons.empty()) continue;
    constexpr size_t kMost = 3;
    const char* inner = " (";
    for (size_t i = 0; i < std::min(kMost, reasons.size()); ++i) {
      text += StrCat(inner, alloc::Shortened(reasons[i].devices), reasons[i].devices.empty() ? "" : ": ", reasons[i].text);
      inner = "; ";
    }
    text += reasons.size() > kMost ? StrCat("; and ", reasons.size() - kMost, " more)") : ")";
  }
  return text;
}

}  // namespace

Decider::Decider(cel::Cache& selectors, Random& random)
    : selectors_(selectors), random_(random), pack_(Preferring("best-fit")), spread_(Preferring("worst-fit")) {}

Decider::~Decider() = default;

Decider::Memory& Decider::Recall(const Snapshot& snapshot, const Request& request, Strategy strategy) {
  const std::string shape = StrCat(strategy == Strategy::kPack ? "pack " : "spread ", request.Shape());
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

Result<alloc::Answer> Decider::Allocate(const Snapshot& snapshot, const Request& request, const Node& node, const alloc::Ledger& ledger,
                                        Strategy strategy, bool explain) {
  alloc::Answer fits;
  fits.outcome = alloc::Answer::Outcome::kFits;
  const std::vector<const model::ResourceClaim*> claims = Unallocated(request);
  if (claims.empty()) return fits;
  if (!node.devices->inventory) return node.devices->status;
  const alloc::Options options{.preference = (strategy == Strategy::kPack ? pack_ : spread_).get(), .explain = explain};
  const alloc::Classes none;
  const alloc::Classes& classes = snapshot.classes == nullptr ? none : snapshot.classes->classes;
  return alloc::Allocator(classes, selectors_, random_, options).Allocate(*node.devices->inventory, ledger, claims);
}

// What depends on the node alone.
Result<Decider::Verdict> Decider::Judge(const Snapshot& snapshot, const Request& request, const NodePtr& node, Strategy strategy) {
  Verdict verdict{node->serial.value};
  ASSIGN_OR_RETURN(std::string why, WhyNotHere(*request.pod, *node));
  if (why.empty()) {
    ASSIGN_OR_RETURN(why, WhyNotClaims(request, *node->node));
  }
  if (!why.empty()) return verdict;
  Result<alloc::Answer> answer = Allocate(snapshot, request, *node, node->ledger, strategy, false);
  if (!answer.ok() && answer.status().code() == Code::kUnavailable) return verdict;  // this node's trouble, for now
  if (!answer.ok()) return Status(answer.status()).Context("Pod ", request.pod->key);
  if (answer->outcome != alloc::Answer::Outcome::kFits) return verdict;
  verdict.fits = true;
  verdict.points = NodePoints(*request.pod, *node);
  const double left = LeftOver(*node, answer->allocations);
  constexpr double kNode = 1e-3;  // CPU and memory of the node decide where the devices do not
  verdict.cost = (strategy == Strategy::kPack ? 1 : -1) * (left + kNode * LeftOfNode(*request.pod, *node));
  // Who needs no device leaves the nodes that have some to others.
  const bool has_devices = node->devices->inventory && !node->devices->inventory->devices().empty();
  if (request.claims.empty() && has_devices) verdict.cost += 1;
  return verdict;
}

Result<Refusal> Decider::Explain(const Snapshot& snapshot, const Request& request, const Node& node) {
  Refusal refusal;
  refusal.node = node.name();
  ASSIGN_OR_RETURN(refusal.text, WhyNotHere(*request.pod, node));
  if (refusal.text.empty()) {
    ASSIGN_OR_RETURN(refusal.text, WhyNotClaims(request, *node.node));
  }
  if (!refusal.text.empty()) return refusal;
  const Result<alloc::Answer> answer = Allocate(snapshot, request, node, node.ledger, Strategy::kPack, true);
  if (!answer.ok()) {
    refusal.text = answer.status().message();
  } else if (answer->outcome == alloc::Answer::Outcome::kGaveUp) {
    refusal.text = "too many combinations of devices to try them all; ask for less at once";
  } else if (answer->outcome == alloc::Answer::Outcome::kDoesNotFit) {
    ASSIGN_OR_RETURN(const bool several, ExplainSeveral(snapshot, request, node, refusal));
    if (several) return refusal;
    refusal.devices = answer->reasons;
    refusal.text = node.devices->inventory->devices().empty() ? "has no devices" : answer->reasons.summary;
  }
  return refusal;
}

std::vector<Decider::Verdict>& Decider::Known(const Snapshot& snapshot, const Request& request, Strategy strategy,
                                              std::vector<Verdict>& none) {
  // One that is allocated is a shape of its own, which nobody else asks for.
  if (std::none_of(request.claims.begin(), request.claims.end(),
                   [](const ClaimPtr& claim) { return claim->claim.allocation.has_value(); })) {
    return Recall(snapshot, request, strategy).verdicts;
  }
  none.resize(snapshot.nodes.size());
  return none;
}

Status Decider::Update(Verdict& verdict, const Snapshot& snapshot, const Request& request, const NodePtr& node, Strategy strategy) {
  if (verdict.serial != 0 && verdict.serial == node->serial.value) return Status();
  ASSIGN_OR_RETURN(verdict, Judge(snapshot, request, node, strategy));
  return Status();
}

Result<Decision> Decider::Decide(const Snapshot& snapshot, const Request& request, const DecideOptions& options) {
  std::vector<Verdict> none;
  return Choose(snapshot, request, options, Known(snapshot, request, options.strategy, none));
}

std::vector<Refusal> Decider::CopyOf(const std::vector<RefusalPtr>& refusals, const Request& request) {
  std::vector<Refusal> copies;
  for (const RefusalPtr& refusal : refusals) {
    copies.push_back(*refusal);
    if (request.claims.size() == 1 && refusal->kept_for.empty()) copies.back().devices.claim = request.claims[0]->key;
  }
  return copies;
}

Result<std::vector<Refusal>> Decider::RefusalsOf(const Snapshot& snapshot, const Request& request, const Decision& decision,
                                                 Strategy strategy) {
  std::vector<Verdict> none;
  ASSIGN_OR_RETURN(const std::vector<RefusalPtr> refusals,
                   Refuse(snapshot, request, decision, strategy, Known(snapshot, request, strategy, none)));
  return CopyOf(refusals, request);
}

Result<std::string> Decider::WhyWaits(const Snapshot& snapshot, const Request& request, const Decision& decision, Strategy strategy) {
  if (decision.outcome != Decision::Outcome::kWaits) return Summary(decision);
  std::vector<Verdict> none;
  ASSIGN_OR_RETURN(const std::vector<RefusalPtr> refusals,
                   Refuse(snapshot, request, decision, strategy, Known(snapshot, request, strategy, none)));
  std::vector<const Refusal*> views;
  for (const RefusalPtr& refusal : refusals) views.push_back(refusal.get());
  return Summarize(views);
}

Result<Decision> Decider::DecideOnce(const Snapshot& snapshot, const Request& request, Strategy strategy) {
  std::vector<Verdict> verdicts(snapshot.nodes.size());
  return Choose(snapshot, request, {.strategy = strategy, .explain = false}, verdicts);
}

Result<Decision> Decider::Choose(const Snapshot& snapshot, const Request& request, const DecideOptions& options,
                                 std::vector<Verdict>& known) {
  Decision decision;
  decision.why = WhyHeld(request);
  if (!decision.why.empty()) {
    decision.outcome = Decision::Outcome::kHeld;
    return decision;
  }
  const Pod& pod = *request.pod;
  const OtherPods others(pod, snapshot);
  const auto better = [](const Verdict& a, int64_t points_a, const Verdict& b, int64_t points_b) {
    return points_a != points_b ? points_a > points_b : a.cost < b.cost;
  };
  std::vector<std::pair<size_t, int64_t>> candidates;  // nodes and their points;
  for (size_t i = 0; i < snapshot.nodes.size(); ++i) {
    Verdict& verdict = known[i];
    TRY(Update(verdict, snapshot, request, snapshot.nodes[i], options.strategy));
    if (!verdict.fits) continue;
    int64_t points = verdict.points;
    if (!others.empty()) {
      const Node& node = *snapshot.nodes[i];
      if (!others.WhyNot(node).empty()) continue;
      points += others.Points(node);
    }
    candidates.emplace_back(i, points);
  }
  while (!candidates.empty()) {
    // Mostly the first one is it: that is cheaper than to sort them. Among equals the first by name.
    auto best = candidates.begin();
    for (auto at = best + 1; at != candidates.end(); ++at) {
      if (better(known[at->first], at->second, known[best->first], best->second)) best = at;
    }
    const Node& node = *snapshot.nodes[best->first];
    candidates.erase(best);
    ASSIGN_OR_RETURN(alloc::Answer answer, Allocate(snapshot, request, node, node.ledger, options.strategy, false));
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
    ASSIGN_OR_RETURN(const std::vector<RefusalPtr> refusals, Refuse(snapshot, request, decision, options.strategy, known));
    decision.refusals = CopyOf(refusals, request);
  }
  return decision;
}

Result<std::vector<Decider::RefusalPtr>> Decider::Refuse(const Snapshot& snapshot, const Request& request, const Decision& decision,
                                                         Strategy strategy, std::vector<Verdict>& known) {
  std::vector<RefusalPtr> refusals;
  std::optional<OtherPods> others;     // where they are the reason
  constexpr size_t kRemembered = 512;  // nodes: more would cost too much memory
  for (size_t i = 0; i < snapshot.nodes.size(); ++i) {
    const Node& node = *snapshot.nodes[i];
    if (const auto kept = decision.kept.find(node.name()); kept != decision.kept.end()) {
      std::string text = StrCat("has room, but is kept for ", kept->second, ", which is ahead of it");
      Refusal refusal{std::string(node.name()), std::move(text), {}};
      refusal.kept_for = kept->second;
      refusals.push_back(std::make_shared<const Refusal>(std::move(refusal)));
      continue;
    }
    TRY(Update(known[i], snapshot, request, snapshot.nodes[i], strategy));
    RefusalPtr refusal = known[i].refusal;
    if (refusal == nullptr) {
      ASSIGN_OR_RETURN(Refusal found, Explain(snapshot, request, node));
      refusal = std::make_shared<const Refusal>(std::move(found));
      // A Pod of the same shape has claims of other names: with one claim it is clear which is meant.
      if (snapshot.nodes.size() <= kRemembered && request.claims.size() <= 1) known[i].refusal = refusal;
    }
    if (refusal->text.empty()) {
      if (!others) others.emplace(*request.pod, snapshot);
      Refusal about_others = *refusal;
      about_others.text = others->WhyNot(node);
      refusal = std::make_shared<const Refusal>(std::move(about_others));
    }
    refusals.push_back(std::move(refusal));
  }
  return refusals;
}

Result<std::optional<std::vector<model::Allocation>>> Decider::DecideOn(const Snapshot& snapshot, const NodePtr& node,
                                                                        const Request& request, Strategy strategy) {
  using Allocations = std::optional<std::vector<model::Allocation>>;
  if (!WhyHeld(request).empty()) return Allocations();
  ASSIGN_OR_RETURN(std::string why, WhyNotHere(*request.pod, *node));
  if (why.empty()) {
    ASSIGN_OR_RETURN(why, WhyNotClaims(request, *node->node));
  }
  if (!why.empty()) return Allocations();
  ASSIGN_OR_RETURN(alloc::Answer answer, Allocate(snapshot, request, *node, node->ledger, strategy, false));
  if (answer.outcome != alloc::Answer::Outcome::kFits) return Allocations();
  const bool looks = LooksAtOthers(*request.pod);
  if (!looks && snapshot.keepers.empty() && !node->keeps_away) return Allocations(std::move(answer.allocations));
  // The node among the others; these matter only to the Pod's own rules.
  Snapshot world;
  if (looks) world.nodes = snapshot.nodes;
  world.keepers = snapshot.keepers;
  world.namespaces = snapshot.namespaces;
  const size_t index = world.IndexOf(node->name());
  const bool there = index < world.nodes.size() && world.nodes[index]->name() == node->name();
  std::erase_if(world.keepers, [&](const NodePtr& keeper) { return keeper->name() == node->name(); });
  if (there) world.nodes.erase(world.nodes.begin() + static_cast<ptrdiff_t>(index));
  world.Insert(index, node);
  if (!OtherPods(*request.pod, world).WhyNot(*node).empty()) return Allocations();
  return Allocations(std::move(answer.allocations));
}

Result<Decider::Fit> Decider::FitWhenEmpty(const Snapshot& snapshot, const Node& node, const Request& request) {
  ASSIGN_OR_RETURN(std::string why, WhyNotWhenEmpty(*request.pod, *node.node));
  if (why.empty()) {
    ASSIGN_OR_RETURN(why, WhyNotClaims(request, *node.node));
  }
  if (!why.empty()) return Fit::kNo;
  alloc::Ledger own;
  for (const ClaimPtr& claim : request.claims) {
    if (claim->claim.allocation) own.Add(claim->claim);
  }
  const Result<alloc::Answer> answer = Allocate(snapshot, request, node, own, Strategy::kPack, false);
  if (!answer.ok() && answer.status().code() == Code::kUnavailable) return Fit::kUnknown;
  if (!answer.ok()) return answer.status();
  if (answer->outcome == alloc::Answer::Outcome::kFits) return Fit::kYes;
  const auto& pools = node.devices->inventory->pools();
  const bool known = std::all_of(pools.begin(), pools.end(), [](const alloc::Pool& pool) { return pool.usable(); });
  return known && answer->outcome == alloc::Answer::Outcome::kDoesNotFit ? Fit::kNo : Fit::kUnknown;
}

Result<bool> Decider::FitsWhenEmpty(const Snapshot& snapshot, const Node& node, const Request& request) {
  ASSIGN_OR_RETURN(const Fit fit, FitWhenEmpty(snapshot, node, request));
  return fit == Fit::kYes;
}

Result<bool> Decider::NeverFits(const Snapshot& snapshot, const Request& request) {
  const Request free = WithoutRules(request);
  for (const NodePtr& node : snapshot.nodes) {
    ASSIGN_OR_RETURN(const Fit fit, FitWhenEmpty(snapshot, *node, free));
    if (fit != Fit::kNo) return false;
  }
  return true;
}

std::string Summary(const Decision& decision) {
  if (decision.outcome == Decision::Outcome::kPlaced) return StrCat("placed on ", decision.node);
  if (decision.outcome == Decision::Outcome::kHeld) return decision.why;
  std::vector<const Refusal*> views;
  for (const Refusal& refusal : decision.refusals) views.push_back(&refusal);
  return Summarize(views);
}

}  // namespace allot::sched
