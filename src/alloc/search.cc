#include "alloc/search.h"

#include <algorithm>

#include "alloc/capacity.h"
#include "alloc/taint.h"

namespace allot::alloc {
namespace {

// Before so many failures it costs more to find out which devices are alike than to go on.
constexpr uint64_t kFailuresBeforeRemembering = 24;
// Beyond so many remembered states the search goes on without adding to them.
constexpr size_t kMaxRemembered = 1'000'000;

// Whether giving back a device always restores the constraint (compat.h has the quirks for which it does not).
bool RestoresState(const model::Constraint& constraint, const CheckedClaim& claim, const CheckedClaims& checked, const Features& features,
                   const Quirks& quirks) {
  if (constraint.match_attribute) return !features.list_type_attributes || !quirks.match_keeps_narrowed_list;
  if (!quirks.distinct_keeps_one_value_per_request) return true;
  for (uint32_t request = 0; const CheckedRequest& entry : checked.RequestsOf(claim)) {
    for (uint32_t ask = entry.first_ask; ask < entry.end_ask; ++ask) {
      if (checked.asks[ask].count > 1 || checked.asks[ask].request != request) return false;
    }
    ++request;
  }
  return true;
}

}  // namespace

Search::Search(const CheckedClaims& checked, const Inventory& inventory, const Ledger& ledger, const Options& options,
               const Preference* preference, Matcher& matcher, std::pmr::memory_resource& arena)
    : checked_(checked),
      inventory_(inventory),
      ledger_(ledger),
      options_(options),
      preference_(preference),
      quirks_(options.quirks),
      matcher_(matcher),
      counters_(inventory, ledger, options.features),
      constraints_(checked.claims.size(), &arena),
      chosen_(checked.requests.size(), &arena),
      claim_begin_(checked.claims.size(), &arena),
      picks_(&arena),
      state_of_(inventory.devices().size(), &arena),
      states_(&arena),
      remember_(checked.claims.size(), true, &arena),
      in_use_(&arena) {
  if (preference_ != nullptr) {
    // Another order would meet the quirks at other devices: keep to what the constraints mean.
    quirks_.distinct_keeps_one_value_per_request = false;
    quirks_.match_keeps_narrowed_list = false;
  }
  states_.reserve(inventory.devices().size());
  picks_.reserve(8);
  in_use_.reserve(8);
  for (size_t i = 0; i < checked.claims.size(); ++i) {
    const CheckedClaim& claim = checked.claims[i];
    constraints_[i].reserve(claim.claim->constraints.size());
    for (const model::Constraint& spec : claim.claim->constraints) {
      constraints_[i].emplace_back(spec, options.features, quirks_);
      remember_[i] = remember_[i] && RestoresState(spec, claim, checked, options.features, quirks_);
    }
  }
}

Search::Outcome Search::Run() { return NextClaim(0); }

Search::Outcome Search::NextClaim(uint32_t claim) {
  if (claim == checked_.claims.size()) return Outcome::kDone;
  claim_begin_[claim] = static_cast<uint32_t>(picks_.size());
  return NextRequest(claim, checked_.claims[claim].first_request);
}

Search::Outcome Search::NextRequest(uint32_t claim, uint32_t request) {
  if (++steps_ > options_.max_steps) return Outcome::kGaveUp;
  if (request == checked_.claims[claim].end_request) {
    const Outcome outcome = NextClaim(claim + 1);
    // Other devices here may leave room for an alternative with fewer devices there.
    return outcome == Outcome::kTooMany ? Outcome::kFail : outcome;
  }
  const CheckedRequest& entry = checked_.requests[request];
  if (!entry.has_alternatives) return NextDevice(checked_.asks[entry.first_ask], 0, 0);
  bool all_too_many = true;
  for (uint32_t i = entry.first_ask; i < entry.end_ask; ++i) {
    chosen_[request] = i - entry.first_ask;
    const Outcome outcome = NextDevice(checked_.asks[i], 0, 0);
    if (outcome == Outcome::kTooMany) continue;
    if (outcome != Outcome::kFail) return outcome;
    all_too_many = false;
  }
  return all_too_many ? Outcome::kTooMany : Outcome::kFail;
}

Search::Outcome Search::NextDevice(const Ask& ask, int64_t picked, uint32_t start) {
  if (ask.all && ask.all_devices.empty()) {
    NoteStuck(ask, picked);
    return Outcome::kFail;
  }
  if (picked >= ask.count) return NextRequest(ask.claim, ask.position + 1);
  if (++steps_ > options_.max_steps) return Outcome::kGaveUp;
  const int64_t in_claim = static_cast<int64_t>(picks_.size() - claim_begin_[ask.claim]);
  if (in_claim + ask.count - picked > static_cast<int64_t>(kMaxResults)) {
    NoteStuck(ask, picked, true);
    return Outcome::kTooMany;
  }
  if (ask.all) return PickAll(ask, picked);

  const bool remembering = failures_ >= kFailuresBeforeRemembering && remember_[ask.claim];
  Hash128 state;
  if (remembering) {
    if (!equivalence_) StartRemembering();
    state = StateHash(ask, picked, start);
    if (failed_.contains(state)) return Outcome::kFail;
  }
  const Outcome outcome = preference_ == nullptr ? PickInOrder(ask, picked, start) : PickPreferred(ask, picked);
  if (outcome == Outcome::kFail) {
    ++failures_;
    NoteStuck(ask, picked);
    if (remembering && failed_.size() < kMaxRemembered) failed_.insert(state);
  }
  return outcome;
}

Search::Outcome Search::PickAll(const Ask& ask, int64_t picked) {
  const uint32_t device = ask.all_devices[static_cast<size_t>(picked)];
  if (!Take(ask, device)) {
    NoteStuck(ask, picked);
    if (!constraint_refused_) return Outcome::kFail;
    const InventoryDevice& entry = inventory_.devices()[device];
    error_ =
        Invalid("claim ", checked_.claims[ask.claim].claim->FullName(), ", request ", ask.spec->name, ": cannot add device ",
                entry.slice->driver, "/", entry.slice->pool, "/", entry.device->name, " because a claim constraint would not be satisfied");
    return Outcome::kError;
  }
  return GoOn(ask, picked, device);
}

// Takes only devices behind the one before: sets of devices, not sequences, are tried.
Search::Outcome Search::PickInOrder(const Ask& ask, int64_t picked, uint32_t start) {
  const uint32_t end = static_cast<uint32_t>(inventory_.devices().size());
  for (uint32_t device = start; device < end; ++device) {
    const Match match = IsCandidate(ask, device);
    if (match == Match::kError) return Outcome::kError;
    if (match == Match::kNo || !Take(ask, device)) continue;
    const Outcome outcome = GoOn(ask, picked, device);
    if (outcome != Outcome::kFail) return outcome;
  }
  return Outcome::kFail;
}

Search::Outcome Search::PickPreferred(const Ask& ask, int64_t picked) {
  std::vector<std::pair<double, uint32_t>> candidates;
  const std::span<const Pick> own = std::span(picks_).last(static_cast<size_t>(picked));
  for (uint32_t device = 0; device < inventory_.devices().size(); ++device) {
    if (std::any_of(own.begin(), own.end(), [&](const Pick& pick) { return pick.device == device; })) continue;
    const Match match = IsCandidate(ask, device);
    if (match == Match::kError) return Outcome::kError;
    if (match == Match::kNo) continue;
    const DeviceState& state = StateOf(device);
    const model::Device& spec = *inventory_.devices()[device].device;
    const std::vector<model::Quantity> asked = ConsumedAmounts(*ask.spec, spec);
    candidates.emplace_back(preference_->Cost({spec, state.usage, state.taken, asked}), device);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [cost, device] : candidates) {
    if (!Take(ask, device)) continue;
    const Outcome outcome = GoOn(ask, picked, device);
    if (outcome != Outcome::kFail) return outcome;
  }
  return Outcome::kFail;
}

// After the last Take: the rest of the search. What was taken stays only when that is done.
Search::Outcome Search::GoOn(const Ask& ask, int64_t picked, uint32_t device) {
  const Outcome outcome = NextDevice(ask, picked + 1, device + 1);
  if (outcome != Outcome::kDone) GiveBack();
  return outcome;
}

Match Search::IsCandidate(const Ask& ask, uint32_t device) {
  // In use comes first: it is cheap, and Kubernetes does not run selectors on devices in use.
  if (ask.admin) {
    if (TakenByClaim(ask.claim, device)) return Match::kNo;
  } else if (IsInUse(StateOf(device))) {
    return Match::kNo;
  }
  const Match match = matcher_.Matches(ask.group, device);
  if (match != Match::kYes) return match;
  if (!options_.features.consumable_capacity) return Match::kYes;
  const DeviceState& state = StateOf(device);
  return CapacityFits(*ask.spec, *inventory_.devices()[device].device, state.usage, state.taken) ? Match::kYes : Match::kNo;
}

bool Search::Take(const Ask& ask, uint32_t device) {
  constraint_refused_ = false;
  const InventoryDevice& entry = inventory_.devices()[device];
  const model::Device& spec = *entry.device;
  DeviceState& state = StateOf(device);
  const bool shared = IsShareable(spec);
  if (ask.admin ? !shared && TakenByClaim(ask.claim, device) : IsInUse(state)) return false;
  if (!options_.features.partitionable_devices && !spec.consumes_counters.empty()) return false;
  const bool reserve = !spec.consumes_counters.empty() && !(shared && CountersPaid(state));
  if (reserve && !counters_.Reserve(entry)) return false;

  std::vector<Constraint>& constraints = constraints_[ask.claim];
  const auto undo = [&](size_t added) {
    LeaveConstraints(ask, added);
    if (reserve) counters_.Release(entry);
    return false;
  };
  if (options_.features.device_taints && !spec.taints.empty() && PreventingTaint(spec.taints, ask.spec->tolerations) != nullptr)
    return undo(0);
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].Concerns(ask.RequestName(), ask.SubName())) continue;
    if (constraints[i].Add(ask.request, spec, entry.slice->driver)) continue;
    undo(i);
    constraint_refused_ = true;
    return false;
  }
  // The devices of mode All were chosen before anything was taken.
  if (ask.all && options_.features.consumable_capacity && !CapacityFits(*ask.spec, spec, state.usage, state.taken)) {
    return undo(constraints.size());
  }

  Pick& pick = picks_.emplace_back(Pick{&ask, device, shared, reserve, {}});
  if (shared) {
    pick.consumed = ConsumedAmounts(*ask.spec, spec);
    state.taken.resize(spec.capacity.size());
    for (size_t i = 0; i < pick.consumed.size(); ++i) state.taken[i].Add(pick.consumed[i]);
    ++state.shares;
  } else {
    state.marks += quirks_.admin_access_takes_device || !ask.admin;
  }
  Sign(state, SignatureOf(ask, shared));
  return true;
}

void Search::GiveBack() {
  const Pick pick = std::move(picks_.back());
  picks_.pop_back();
  const Ask& ask = *pick.ask;
  const InventoryDevice& entry = inventory_.devices()[pick.device];
  DeviceState& state = StateOf(pick.device);
  if (pick.shared) {
    --state.shares;
    for (size_t i = 0; i < pick.consumed.size(); ++i) state.taken[i].Sub(pick.consumed[i]);
  } else {
    state.marks -= quirks_.admin_access_takes_device || !ask.admin;
  }
  Sign(state, -SignatureOf(ask, pick.shared));
  LeaveConstraints(ask, constraints_[ask.claim].size());
  if (pick.counters_reserved) counters_.Release(entry);
}

// Gives the device that was added last for this ask back to the first `added` constraints of its claim.
void Search::LeaveConstraints(const Ask& ask, size_t added) {
  std::vector<Constraint>& constraints = constraints_[ask.claim];
  for (size_t i = added; i-- > 0;) {
    if (constraints[i].Concerns(ask.RequestName(), ask.SubName())) constraints[i].Remove(ask.request);
  }
}

// What a pick for this ask adds to the signature of its device: the same for picks that leave it in the same state.
uint64_t Search::SignatureOf(const Ask& ask, bool shared) const {
  if (shared) return Combine(1, ask.capacity_group);
  const bool looks_on = ask.admin && !quirks_.admin_access_takes_device;
  return Combine(looks_on ? 2 : 3, ask.claim);
}

bool Search::IsInUse(const DeviceState& state) const { return state.marks > 0 || (state.usage != nullptr && state.usage->whole > 0); }

bool Search::TakenByClaim(uint32_t claim, uint32_t device) const {
  return std::any_of(picks_.begin() + claim_begin_[claim], picks_.end(),
                     [&](const Pick& pick) { return pick.device == device && !pick.shared; });
}

// Whether an earlier share of the device has reserved its counters.
bool Search::CountersPaid(const DeviceState& state) const {
  if (state.shares > 0) return true;
  if (state.usage == nullptr) return false;
  return state.usage->with_capacity > 0 || (!quirks_.share_without_capacity_is_unused && state.usage->shares > 0);
}

Search::DeviceState& Search::StateOf(uint32_t device) {
  uint32_t& slot = state_of_[device];
  if (slot == 0) {
    DeviceState& state = states_.emplace_back();
    state.device = device;
    const Pool& pool = inventory_.pools()[inventory_.devices()[device].pool];
    state.usage = ledger_.Find(pool.hash, {pool.driver, pool.name, inventory_.devices()[device].device->name});
    slot = static_cast<uint32_t>(states_.size());
  }
  return states_[slot - 1];
}

void Search::Sign(DeviceState& state, uint64_t change) {
  if (equivalence_) used_ -= equivalence_->HashOf(state.device, state.signature);
  if (state.signature == 0) in_use_.push_back(state.device);
  state.signature += change;
  if (state.signature == 0) in_use_.pop_back();  // picks are given back in reverse order
  if (equivalence_) used_ += equivalence_->HashOf(state.device, state.signature);
}

void Search::StartRemembering() {
  equivalence_.emplace(checked_, inventory_, ledger_, options_.features, matcher_);
  for (const DeviceState& state : states_) {
    used_ += equivalence_->HashOf(state.device, state.signature);
    used_ -= equivalence_->HashOf(state.device, 0);
  }
}

Hash128 Search::StateHash(const Ask& ask, int64_t picked, uint32_t start) const {
  Hash128 hash = used_;
  if (picked > 0 && preference_ == nullptr) {
    // The rest of this ask may only take devices from `start` on: how those are used counts by itself.
    Hash128 rest = equivalence_->UnusedFrom(start);
    for (const uint32_t device : in_use_) {
      if (device < start) continue;
      rest -= equivalence_->HashOf(device, 0);
      rest += equivalence_->HashOf(device, states_[state_of_[device] - 1].signature);
    }
    hash.Append(rest.low);
    hash.Append(rest.high);
  } else if (picked > 0) {
    // The rest may take any device but those picked for this ask.
    Hash128 own;
    for (const Pick& pick : std::span(picks_).last(static_cast<size_t>(picked))) {
      own += equivalence_->HashOf(pick.device, states_[state_of_[pick.device] - 1].signature);
    }
    hash.Append(own.low);
    hash.Append(own.high);
  }
  hash.Append(static_cast<uint64_t>(&ask - checked_.asks.data()));
  hash.Append(static_cast<uint64_t>(picked));
  hash.Append(picks_.size() - claim_begin_[ask.claim]);
  for (const Constraint& constraint : constraints_[ask.claim]) {
    const Hash128 print = constraint.Fingerprint();
    hash.Append(print.low);
    hash.Append(print.high);
  }
  return hash;
}

void Search::NoteStuck(const Ask& ask, int64_t picked, bool too_many) {
  // Later asks count more than later devices of one ask.
  const size_t depth = static_cast<size_t>(&ask - checked_.asks.data()) * (kMaxResults + 1) + static_cast<size_t>(picked);
  if (!options_.explain || (stuck_ != nullptr && depth <= stuck_depth_)) return;
  stuck_ = &ask;
  stuck_depth_ = depth;
  stuck_too_many_ = too_many;
  stuck_picks_.clear();
  for (const Pick& pick : picks_) stuck_picks_.emplace_back(pick.ask, pick.device);
}

}  // namespace allot::alloc
