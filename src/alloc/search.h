#pragma once
// The search for devices: depth first, in Kubernetes' order, with the failures of equivalent states remembered.

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "alloc/allocator.h"
#include "alloc/checked_claims.h"
#include "alloc/constraint.h"
#include "alloc/counters.h"
#include "alloc/equivalence.h"
#include "alloc/hash.h"
#include "alloc/matcher.h"
#include "base/status.h"
#include "model/quantity.h"

namespace allot::alloc {

// A device taken for an ask, for now.
struct Pick {
  const Ask* ask;
  uint32_t device;
  bool shared;  // a share of a device that allows several
  bool counters_reserved;
  std::vector<model::Quantity> consumed;  // of a share, in the order of device.capacity
};

class Search {
 public:
  enum class Outcome {
    kDone,     // picks() is the solution
    kFail,     // no solution
    kTooMany,  // no solution, because a claim would get more devices than it may have
    kError,    // error() says why the question cannot be decided
    kGaveUp,   // the steps were used up
  };

  Search(const CheckedClaims& checked, const Inventory& inventory, const Ledger& ledger, const Options& options,
         const Preference* preference, Matcher& matcher, std::pmr::memory_resource& arena);

  Outcome Run();

  std::span<const Pick> picks() const { return picks_; }
  // The alternative that was taken for a request (its position in CheckedClaims::requests); 0 where there is only one.
  uint32_t chosen(uint32_t request) const { return chosen_[request]; }
  const Status& error() const { return error_; }
  uint64_t steps() const { return steps_; }

  // Why there is no solution: explains the ask at which the search got farthest. Call it after kFail only.
  Reasons Explain();

 private:
  struct DeviceState {
    uint32_t device = 0;
    const Usage* usage = nullptr;
    uint32_t marks = 0;                  // picks that take it whole
    uint32_t shares = 0;                 // picks that take a share
    uint64_t signature = 0;              // sum over its picks: tells equivalent use apart (equivalence.h)
    std::vector<model::Quantity> taken;  // by the shares, in the order of device.capacity; empty: none yet
  };

  Outcome NextClaim(uint32_t claim);
  Outcome NextRequest(uint32_t claim, uint32_t request);
  Outcome NextDevice(const Ask& ask, int64_t picked, uint32_t start);
  Outcome PickAll(const Ask& ask, int64_t picked);
  Outcome PickInOrder(const Ask& ask, int64_t picked, uint32_t start);
  Outcome PickPreferred(const Ask& ask, int64_t picked);
  Outcome GoOn(const Ask& ask, int64_t picked, uint32_t device);

  // Whether the device is worth trying: free, matching, with the capacity. kError as in Matcher.
  Match IsCandidate(const Ask& ask, uint32_t device);
  bool Take(const Ask& ask, uint32_t device);
  void GiveBack();
  bool IsInUse(const DeviceState& state) const;
  bool TakenByClaim(uint32_t claim, uint32_t device) const;
  bool CountersPaid(const DeviceState& state) const;
  bool IsShareable(const model::Device& device) const { return options_.features.consumable_capacity && device.allow_multiple_allocations; }
  DeviceState& StateOf(uint32_t device);
  void Sign(DeviceState& state, uint64_t change);

  // How far a device came before it was ruled out, for one ask.
  enum class Step { kSelector, kName, kInUse, kCapacity, kCounters, kTaint, kConstraint, kTried };
  // The first thing that rules a device out for an ask in the present state. kTried: the device fits, but the search failed later.
  struct Failure {
    Step step = Step::kTried;
    Reason reason;
  };
  Failure WhyNot(const Ask& ask, uint32_t device);
  // nullopt: the device has the capacity.
  std::optional<Failure> WhyNoCapacity(const Ask& ask, const DeviceState& state) const;
  std::optional<Failure> WhyNoConstraint(const Ask& ask, const InventoryDevice& entry) const;
  std::vector<Holder> HoldersOf(const DeviceState& state) const;
  // What rules the device out for the stuck request: the failure of the alternative for which it came farthest.
  Failure WhyNotStuck(std::span<const Ask* const> asks, uint32_t device);
  void ReturnToStuck();

  void NoteStuck(const Ask& ask, int64_t picked, bool too_many = false);
  void StartRemembering();
  uint64_t SignatureOf(const Ask& ask, bool shared) const;
  void LeaveConstraints(const Ask& ask, size_t added);
  Hash128 StateHash(const Ask& ask, int64_t picked, uint32_t start) const;

  const CheckedClaims& checked_;
  const Inventory& inventory_;
  const Ledger& ledger_;
  const Options& options_;
  const Preference* preference_;
  Quirks quirks_;
  Matcher& matcher_;
  Counters counters_;

  std::pmr::vector<std::vector<Constraint>> constraints_;  // by claim
  std::pmr::vector<uint32_t> chosen_;
  std::pmr::vector<uint32_t> claim_begin_;  // where the picks of each claim begin
  std::pmr::vector<Pick> picks_;
  std::pmr::vector<uint32_t> state_of_;  // by device: 1 + index into states_, 0: none
  std::pmr::vector<DeviceState> states_;
  bool constraint_refused_ = false;  // why the last Take failed

  const Ask* stuck_ = nullptr;
  size_t stuck_depth_ = 0;
  bool stuck_too_many_ = false;
  std::vector<std::pair<const Ask*, uint32_t>> stuck_picks_;

  uint64_t steps_ = 0;
  uint64_t failures_ = 0;
  std::pmr::vector<bool> remember_;         // by claim: whether a state says all about what comes after it
  std::pmr::vector<uint32_t> in_use_;       // devices with a signature, in the order of their first picks
  std::optional<Equivalence> equivalence_;  // once it is worth having
  Hash128 used_;                            // the sum over all devices of how they differ from unused
  std::unordered_set<Hash128, Hash128Hasher> failed_;
  Status error_;
};

}  // namespace allot::alloc
