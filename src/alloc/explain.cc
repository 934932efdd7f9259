// Why a search found nothing: the words.

#include <algorithm>
#include <map>
#include <optional>

#include "alloc/capacity.h"
#include "alloc/search.h"
#include "alloc/taint.h"
#include "base/check.h"

namespace allot::alloc {
namespace {

// How far a device came before it was ruled out.
enum Rank { kSelector, kInUse, kCapacity, kCounters, kTaint, kConstraint, kTried };

// Memory reads best in MiB, the unit of the whole project; other amounts as Kubernetes prints them.
std::optional<int64_t> InMiB(const model::Quantity& quantity) {
  constexpr int64_t kMiB = 1 << 20;
  const std::optional<int64_t> bytes = quantity.Value();
  if (!bytes || *bytes % kMiB != 0 || model::Quantity::FromInt64(*bytes, quantity.format()) != quantity) return std::nullopt;
  return *bytes / kMiB;
}

std::string Amounts(std::string_view name, const model::Quantity& asked, const model::Quantity& free, const model::Quantity& whole) {
  const bool memory = name == "memory" || name.ends_with("/memory");
  const auto asked_mib = InMiB(asked), free_mib = InMiB(free), whole_mib = InMiB(whole);
  if (memory && asked_mib && free_mib && whole_mib) {
    return StrCat(*asked_mib, " MiB asked, ", *free_mib, " MiB of ", *whole_mib, " MiB free");
  }
  return StrCat(name, ": ", asked.Canonical(), " asked, ", free.Canonical(), " of ", whole.Canonical(), " free");
}

std::string PolicyText(const model::CapacityPolicy& policy) {
  if (policy.has_range) {
    std::string text = StrCat("from ", policy.min ? policy.min->ToString() : "0");
    if (policy.max) text += StrCat(" to ", policy.max->ToString());
    if (policy.step) text += StrCat(" in steps of ", policy.step->ToString());
    return text;
  }
  std::vector<std::string> values;
  for (const model::Quantity& value : policy.valid_values) values.push_back(value.ToString());
  return StrCat("one of ", Join(values, ", "));
}

std::string Plural(int64_t count, std::string_view noun) { return StrCat(count, " ", noun, count == 1 ? "" : "s"); }

}  // namespace

std::string Search::HoldersOf(const DeviceState& state, std::string_view verb) const {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  if (state.usage != nullptr) {
    for (const Hold& hold : state.usage->holds) {
      // The Pods say more than the claim, whose name may be generated. They are in the claim's namespace.
      const std::string name_space = hold.claim.substr(0, hold.claim.find('/') + 1);
      for (const std::string& pod : hold.reserved_for) add(name_space + pod);
      if (hold.reserved_for.empty() && !hold.claim.empty()) add("claim " + hold.claim);
    }
  }
  for (const Pick& pick : picks_) {
    // Of the only claim the name says nothing, and a Pod with another one hears the same.
    const bool only = plan_.claims.size() == 1;
    if (pick.device == state.device)
      add(StrCat("this Pod's claim", only ? "" : " ", only ? "" : plan_.claims[pick.ask->claim].claim->name));
  }
  return names.empty() ? "" : StrCat(verb, Shortened(names));
}

Search::Refusal Search::WhyNoCapacity(const Ask& ask, const DeviceState& state) const {
  const model::Device& spec = *inventory_.devices()[state.device].device;
  CapacityRefusal refusal;
  if (CapacityFits(*ask.spec, spec, state.usage, state.taken, &refusal)) return {kTried, ""};
  const auto capacity =
      std::find_if(spec.capacity.begin(), spec.capacity.end(), [&](const auto& c) { return c.name.full == refusal.name; });
  switch (refusal.why) {
    case CapacityRefusal::Why::kUnknownName: {
      std::vector<std::string> names;
      for (const model::Capacity& c : spec.capacity) names.emplace_back(c.name.full);
      return {kSelector, StrCat("has no capacity ", Quoted(refusal.name), names.empty() ? "" : StrCat("; it has ", Join(names, ", ")))};
    }
    case CapacityRefusal::Why::kPolicy:
      // Whatever steps there are, the device is too small.
      if (refusal.asked > capacity->value) {
        model::Quantity free = capacity->value;
        const model::Quantity* held = state.usage == nullptr ? nullptr : state.usage->Consumed(refusal.name);
        if (held != nullptr) free.Sub(*held);
        return {kCapacity, Amounts(refusal.name, refusal.asked, free, capacity->value)};
      }
      return {kCapacity, StrCat(refusal.name, ": ", refusal.asked.Canonical(), " asked, but it is given ", PolicyText(*capacity->policy))};
    default: break;
  }
  const std::string holders = HoldersOf(state, " (held by ");
  return {kCapacity, StrCat(Amounts(refusal.name, refusal.asked, refusal.free, refusal.whole), holders, holders.empty() ? "" : ")")};
}

Search::Refusal Search::WhyNot(const Ask& ask, uint32_t device) {
  const InventoryDevice& entry = inventory_.devices()[device];
  const model::Device& spec = *entry.device;
  const DeviceState& state = StateOf(device);
  // What does not match would not help even when it were free, so that is said first.
  const Match match = matcher_.Matches(ask.group, device);
  if (match == Match::kError) return {kSelector, matcher_.error().message()};
  if (match == Match::kNo) return {kSelector, matcher_.WhyNot(ask.group, device)};
  if (ask.admin ? TakenByClaim(ask.claim, device) : IsInUse(state)) {
    const std::string holders = HoldersOf(state, " by ");
    return {kInUse, StrCat("taken whole", holders)};
  }
  if (options_.features.consumable_capacity) {
    Refusal refusal = WhyNoCapacity(ask, state);
    if (!refusal.text.empty()) return refusal;
  }
  if (!spec.consumes_counters.empty()) {
    if (!options_.features.partitionable_devices) return {kCounters, "consumes counters, and the gate DRAPartitionableDevices is off"};
    const bool reserve = !(IsShareable(spec) && CountersPaid(state));
    if (reserve && !counters_.Reserve(entry)) return {kCounters, counters_.WhyNot(entry)};
    if (reserve) counters_.Release(entry);
  }
  if (options_.features.device_taints) {
    if (const model::Taint* taint = PreventingTaint(spec.taints, ask.spec->tolerations)) {
      return {kTaint, StrCat("tainted ", taint->key, taint->value.empty() ? "" : StrCat("=", taint->value), ":", taint->effect,
                             ", which the request does not tolerate")};
    }
  }
  for (const Constraint& constraint : constraints_[ask.claim]) {
    if (!constraint.Concerns(ask.RequestName(), ask.SubName())) continue;
    Constraint probe = constraint;  // giving a device back may not restore the original (compat.h)
    if (probe.Add(ask.request, spec, entry.slice->driver)) continue;
    if (FindAttribute(spec, entry.slice->driver, constraint.attribute()) == nullptr) {
      return {kConstraint, StrCat("has no attribute ", constraint.attribute(), ", which a constraint needs")};
    }
    return {kConstraint, StrCat("its ", constraint.attribute(), constraint.distinct() ? " is the same as" : " differs from",
                                " that of a device picked before")};
  }
  return {kTried, ""};
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

Reasons Search::Explain() {
  Reasons reasons;
  if (stuck_ == nullptr) return reasons;
  ReturnToStuck();
  const model::ResourceClaim& claim = *plan_.claims[stuck_->claim].claim;
  reasons.claim = claim.FullName();
  reasons.request = stuck_->RequestName();

  // The alternatives of the request that was stuck, or the one ask that it is.
  std::vector<const Ask*> asks;
  for (const Ask& ask : plan_.asks) {
    if (ask.claim == stuck_->claim && ask.request == stuck_->request) asks.push_back(&ask);
  }
  const auto& devices = inventory_.devices();
  std::map<std::string, size_t> reason_of;  // by text
  int64_t tried = 0;
  for (uint32_t device = 0; device < devices.size(); ++device) {
    const bool own = std::any_of(picks_.begin(), picks_.end(), [&](const Pick& pick) {
      return pick.device == device && pick.ask->claim == stuck_->claim && pick.ask->request == stuck_->request;
    });
    Refusal best{-1, ""};
    for (const Ask* ask : asks) {
      if (Refusal refusal = WhyNot(*ask, device); refusal.rank > best.rank) best = std::move(refusal);
    }
    if (own) best = {kTried, "picked for this request already"};
    if (best.rank == kTried) {
      ++tried;
      if (best.text.empty()) best.text = "fits by itself, but not together with the rest of the Pod's claims";
    }
    const auto [at, is_new] = reason_of.emplace(std::move(best.text), reasons.reasons.size());
    if (is_new) reasons.reasons.push_back({at->first, {}});
    reasons.reasons[at->second].devices.push_back(inventory_.DeviceName(device));
  }
  for (const Pool& pool : inventory_.pools()) {
    if (pool.incomplete) reasons.reasons.push_back({StrCat("pool ", pool.name, ": its driver ", pool.driver, " is still publishing"), {}});
    if (!pool.invalid.empty())
      reasons.reasons.push_back({StrCat("pool ", pool.name, " of ", pool.driver, " is invalid: ", pool.invalid), {}});
  }
  int64_t least = stuck_->count;
  for (const Ask* ask : asks) least = std::min(least, ask->count);
  const std::string asked = stuck_->all ? "all matching devices asked" : StrCat(Plural(least, "device"), " asked");
  const std::string node = StrCat("node ", inventory_.node().name);
  if (stuck_too_many_) {
    reasons.summary = StrCat(asked, ", but the claim would get more than the ", kMaxResults, " devices that one may have");
  } else if (devices.empty()) {
    reasons.summary = StrCat(asked, ", and ", node, " has no devices");
  } else if (tried > 0) {
    reasons.summary = StrCat(asked, ", ", tried, " of ", devices.size(), " on ", node, " would do, but not together with the rest");
  } else if (devices.size() == 1) {
    reasons.summary = StrCat(asked, ", and the only one of ", node, " does not fit");
  } else {
    reasons.summary = StrCat(asked, ", none of the ", devices.size(), " of ", node, " fits");
  }
  return reasons;
}

}  // namespace allot::alloc
