#pragma once
// Decides which devices of one node satisfy the claims of one Pod, exactly as Kubernetes 1.36 does, or says why none do.
//
// The search is Kubernetes': depth first over claims, requests and devices in inventory order, the first solution wins. What it leaves
// out are branches that are known to fail because an equivalent one failed, so the solution is the same and comes sooner.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "alloc/compat.h"
#include "alloc/inventory.h"
#include "alloc/ledger.h"
#include "alloc/preference.h"
#include "alloc/reasons.h"
#include "base/random.h"
#include "base/status.h"
#include "cel/cache.h"
#include "model/claim.h"

namespace allot::alloc {

// The DeviceClasses of the cluster. Views them: they must outlive it.
class Classes {
 public:
  Classes() = default;
  explicit Classes(std::span<const model::DeviceClass> classes) {
    for (const model::DeviceClass& c : classes) Add(c);
  }
  // A class of the same name is replaced.
  void Add(const model::DeviceClass& device_class);
  const model::DeviceClass* Find(std::string_view name) const;

 private:
  std::vector<const model::DeviceClass*> sorted_;
};

// What selectors must be compiled with under these gates.
inline cel::Options SelectorOptions(const Features& features) { return {.list_type_attributes = features.list_type_attributes}; }

struct Options {
  Features features = Features::Defaults();
  Quirks quirks;
  const Preference* preference = nullptr;  // nullptr: Kubernetes' order
  // How many steps the search may take. A step is one look for the next device or the next request, as Kubernetes counts its own; it has
  // a time limit instead.
  uint64_t max_steps = 1'000'000;
  // Whether "does not fit" comes with reasons. Finding them looks at every device, so a caller with many nodes asks later.
  bool explain = true;
};

struct Answer {
  enum class Outcome {
    kFits,
    kDoesNotFit,  // `reasons` says why, if asked for
    kGaveUp,      // max_steps were not enough to tell
  };
  Outcome outcome = Outcome::kDoesNotFit;
  std::vector<model::Allocation> allocations;  // one for each claim, in their order
  Reasons reasons;
  uint64_t steps = 0;
};

class Allocator {
 public:
  // All must outlive it. `selectors` was made with SelectorOptions(options.features).
  Allocator(const Classes& classes, cel::Cache& selectors, Random& random, Options options)
      : classes_(classes), selectors_(selectors), random_(random), options_(options) {}

  // An error means that the question cannot be decided, whatever is free. kUnavailable rejects this node for now: its driver is
  // publishing, or published what contradicts itself. Any other code names what is wrong with the claims, or with a class, slice or
  // device that they met; Kubernetes then ends the attempt for the whole Pod.
  // The allocations own their text. Threads may share an Allocator when they may share its Random.
  Result<Answer> Allocate(const Inventory& inventory, const Ledger& ledger, std::span<const model::ResourceClaim* const> claims) const;

 private:
  const Classes& classes_;
  cel::Cache& selectors_;
  Random& random_;
  const Options options_;
};

// More claims, or requests in all of them, than this in one Pod are refused: the depth of the search grows with them.
inline constexpr size_t kMaxClaims = 128;
inline constexpr size_t kMaxRequests = 1024;
// Kubernetes' limit on the devices of one claim.
inline constexpr size_t kMaxResults = 32;

}  // namespace allot::alloc
