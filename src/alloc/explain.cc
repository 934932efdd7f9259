// Why a search found nothing.

#include <algorithm>
#include <map>
#include <optional>

#include "alloc/capacity.h"
#include "alloc/search.h"
#include "alloc/taint.h"
#include "base/check.h"

namespace allot::alloc {
namespace {

using Kind = Reason::Kind;

Reason Of(Kind kind) {
  Reason reason;
  reason.kind = kind;
  return reason;
}

Reason::Given GivenBy(const model::CapacityPolicy& policy) {
  return {policy.has_range, policy.min, policy.max, policy.step, policy.valid_values};
}

}  // namespace

std::vector<Holder> Search::HoldersOf(const DeviceState& state) const {
  std::vector<Holder> holders;
  const auto add = [&](Holder holder) {
    if (std::find(holders.begin(), holders.end(), holder) == holders.end()) holders.push_back(std::move(holder));
  };
  if (state.usage != nullptr) {
    for (const Hold& hold : state.usage->holds) {
      // A Pod's name says more than the claim's, which may be generated. The Pods are in the claim's namespace.
      const std::string name_space = hold.claim.substr(0, hold.claim.find('/') + 1);
      for (const std::string& pod : hold.reserved_for) add({Holder::Kind::kPod, name_space + pod});
      if (hold.reserved_for.empty() && !hold.claim.empty()) add({Holder::Kind::kClaim, hold.claim});
    }
  }
  for (const Pick& pick : picks_) {
    if (pick.device != state.device) continue;
    // Pods of the same shape share the answer, so the name of an only claim is left out.
    const bool only = checked_.claims.size() == 1;
    add({Holder::Kind::kThisPod, only ? "" : std::string(checked_.claims[pick.ask->claim].claim->name)});
  }
  return holders;
}

std::optional<Search::Failure> Search::WhyNoCapacity(const Ask& ask, const DeviceState& state) const {
  const model::Device& spec = *inventory_.devices()[state.device].device;
  CapacityProblem problem;
  if (CapacityFits(*ask.spec, spec, state.usage, state.taken, &problem)) return std::nullopt;
  Reason reason;
  reason.name = problem.name;
  reason.asked = problem.asked;
  if (problem.why == CapacityProblem::Why::kUnknownName) {
    reason.kind = Kind::kUnknownCapacity;
    for (const model::Capacity& capacity : spec.capacity) reason.names.emplace_back(capacity.name.full);
    return Failure{Step::kName, std::move(reason)};
  }
  if (problem.why == CapacityProblem::Why::kPolicy) {
    const auto capacity =
        std::find_if(spec.capacity.begin(), spec.capacity.end(), [&](const auto& c) { return c.name.full == problem.name; });
    if (problem.asked <= capacity->value) {
      reason.kind = Kind::kCapacityPolicy;
      reason.given = GivenBy(*capacity->policy);
      return Failure{Step::kCapacity, std::move(reason)};
    }
    // The device is too small, whatever its policy says.
    reason.kind = Kind::kNotEnough;
    reason.free = reason.whole = capacity->value;
    const model::Quantity* held = state.usage == nullptr ? nullptr : state.usage->Consumed(problem.name);
    if (held != nullptr) reason.free.Sub(*held);
    return Failure{Step::kCapacity, std::move(reason)};
  }
  reason.kind = Kind::kNotEnough;
  reason.free = problem.free;
  reason.whole = problem.whole;
  reason.holders = HoldersOf(state);
  return Failure{Step::kCapacity, std::move(reason)};
}

std::optional<Search::Failure> Search::WhyNoConstraint(const Ask& ask, const InventoryDevice& entry) const {
  for (const Constraint& constraint : constraints_[ask.claim]) {
    if (!constraint.Concerns(ask.RequestName(), ask.SubName())) continue;
    Constraint probe = constraint;  // giving a device back may not restore the original (compat.h)
    if (probe.Add(ask.request, *entry.device, entry.slice->driver)) continue;
    Reason reason = Of(constraint.distinct() ? Kind::kAttributeSame : Kind::kAttributeDiffers);
    if (FindAttribute(*entry.device, entry.slice->driver, constraint.attribute()) == nullptr) reason.kind = Kind::kAttributeMissing;
    reason.name = constraint.attribute();
    return Failure{Step::kConstraint, std::move(reason)};
  }
  return std::nullopt;
}

Search::Failure Search::WhyNot(const Ask& ask, uint32_t device) {
  const InventoryDevice& entry = inventory_.devices()[device];
  const model::Device& spec = *entry.device;
  const DeviceState& state = StateOf(device);
  // A device that does not match would not help even if it were free, so this comes first.
  const Match match = matcher_.Matches(ask.group, device);
  if (match == Match::kError) {
    Reason reason = Of(Kind::kSelectorError);
    reason.detail = matcher_.error().message();
    return {Step::kSelector, std::move(reason)};
  }
  if (match == Match::kNo) return {Step::kSelector, matcher_.WhyNot(ask.group, device)};
  if (ask.admin ? TakenByClaim(ask.claim, device) : IsInUse(state)) {
    Reason reason = Of(Kind::kTakenWhole);
    reason.holders = HoldersOf(state);
    return {Step::kInUse, std::move(reason)};
  }
  if (options_.features.consumable_capacity) {
    if (std::optional<Failure> failure = WhyNoCapacity(ask, state)) return *std::move(failure);
  }
  if (!spec.consumes_counters.empty()) {
    if (!options_.features.partitionable_devices) return {Step::kCounters, Of(Kind::kCountersOff)};
    const bool reserve = !(IsShareable(spec) && CountersPaid(state));
    if (reserve && !counters_.Reserve(entry)) return {Step::kCounters, counters_.WhyNot(entry)};
    if (reserve) counters_.Release(entry);
  }
  if (options_.features.device_taints) {
    if (const model::Taint* taint = PreventingTaint(spec.taints, ask.spec->tolerations)) {
      Reason reason = Of(Kind::kTainted);
      reason.taint = {std::string(taint->key), std::string(taint->value), std::string(taint->effect)};
      return {Step::kTaint, std::move(reason)};
    }
  }
  if (std::optional<Failure> failure = WhyNoConstraint(ask, entry)) return *std::move(failure);
  return {Step::kTried, Of(Kind::kNotTogether)};
}

void Search::ReturnToStuck() {
  CHECK(picks_.empty());
  uint32_t claim = 0;
  for (const auto& [ask, device] : stuck_picks_) {
    while (claim < ask->claim) claim_begin_[++claim] = static_cast<uint32_t>(picks_.size());
    if (!Take(*ask, device)) break;  // a quirk of a constraint: explain with what could be restored
  }
  while (claim < stuck_->claim) claim_begin_[++claim] = static_cast<uint32_t>(picks_.size());
}

Search::Failure Search::WhyNotStuck(std::span<const Ask* const> asks, uint32_t device) {
  const bool picked = std::any_of(picks_.begin(), picks_.end(), [&](const Pick& pick) {
    return pick.device == device && pick.ask->claim == stuck_->claim && pick.ask->request == stuck_->request;
  });
  if (picked) {
    Reason reason = Of(Kind::kAlreadyPicked);
    reason.alternative = stuck_->SubName();
    return {Step::kTried, std::move(reason)};
  }
  // Of two alternatives that came equally far, the one that asks for less of the same capacity is nearer to fit.
  const auto came_farther = [](const Failure& a, const Failure& b) {
    if (a.step != b.step) return a.step > b.step;
    const bool both_short = a.reason.kind == Kind::kNotEnough && b.reason.kind == Kind::kNotEnough;
    return both_short && a.reason.name == b.reason.name && a.reason.asked < b.reason.asked;
  };
  std::optional<Failure> farthest;
  for (const Ask* ask : asks) {
    Failure failure = WhyNot(*ask, device);
    if (farthest && !came_farther(failure, *farthest)) continue;
    failure.reason.alternative = ask->SubName();
    farthest = std::move(failure);
  }
  return *std::move(farthest);
}

Reasons Search::Explain() {
  Reasons reasons;
  if (stuck_ == nullptr) return reasons;
  ReturnToStuck();
  reasons.claim = checked_.claims[stuck_->claim].claim->FullName();
  reasons.request = stuck_->RequestName();
  reasons.all = stuck_->all;
  reasons.asked = stuck_->count;
  reasons.devices = inventory_.devices().size();

  // The alternatives of the stuck request, or its only ask.
  std::vector<const Ask*> asks;
  for (const Ask& ask : checked_.asks) {
    if (ask.claim != stuck_->claim || ask.request != stuck_->request) continue;
    asks.push_back(&ask);
    reasons.asked = std::min(reasons.asked, ask.count);
  }
  // Some devices were found for the alternative that the search is stuck in: its count is what they are short of.
  const bool is_picking = std::any_of(picks_.begin(), picks_.end(), [&](const Pick& pick) { return pick.ask == stuck_; });
  if (is_picking) reasons.asked = stuck_->count;
  std::map<Reason, size_t> index_of;
  for (uint32_t device = 0; device < reasons.devices; ++device) {
    Failure failure = WhyNotStuck(asks, device);
    if (failure.step == Step::kTried) ++reasons.fit_alone;
    const auto [at, is_new] = index_of.emplace(std::move(failure.reason), reasons.ruled_out.size());
    if (is_new) reasons.ruled_out.push_back({at->first, {}});
    reasons.ruled_out[at->second].devices.push_back(inventory_.DeviceName(device));
  }
  for (const Pool& pool : inventory_.pools()) {
    Reason reason = Of(pool.incomplete ? Kind::kPoolIncomplete : Kind::kPoolInvalid);
    reason.name = pool.name;
    reason.driver = pool.driver;
    if (pool.incomplete) reasons.ruled_out.push_back({reason, {}});
    reason.kind = Kind::kPoolInvalid;
    reason.detail = pool.invalid;
    if (!pool.invalid.empty()) reasons.ruled_out.push_back({std::move(reason), {}});
  }
  reasons.kind = stuck_too_many_         ? Reasons::Kind::kTooMany
                 : reasons.devices == 0  ? Reasons::Kind::kNoDevices
                 : reasons.fit_alone > 0 ? Reasons::Kind::kNotTogether
                                         : Reasons::Kind::kNoneFits;
  return reasons;
}

}  // namespace allot::alloc
