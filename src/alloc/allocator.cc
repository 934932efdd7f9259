#include "alloc/allocator.h"

#include <algorithm>
#include <cstddef>
#include <memory_resource>

#include "alloc/assemble.h"
#include "alloc/checked_claims.h"
#include "alloc/matcher.h"
#include "alloc/search.h"

namespace allot::alloc {

void Classes::Add(const model::DeviceClass& device_class) {
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), device_class.name,
                                   [](const model::DeviceClass* c, std::string_view name) { return c->name < name; });
  if (at != sorted_.end() && (*at)->name == device_class.name) {
    *at = &device_class;
  } else {
    sorted_.insert(at, &device_class);
  }
}

const model::DeviceClass* Classes::Find(std::string_view name) const {
  const auto at =
      std::lower_bound(sorted_.begin(), sorted_.end(), name, [](const model::DeviceClass* c, std::string_view n) { return c->name < n; });
  return at != sorted_.end() && (*at)->name == name ? *at : nullptr;
}

Result<Answer> Allocator::Allocate(const Inventory& inventory, const Ledger& ledger,
                                   std::span<const model::ResourceClaim* const> claims) const {
  // Memory for this decision only. It is large enough that a usual node needs no heap.
  std::byte buffer[16 << 10];
  std::pmr::monotonic_buffer_resource arena(buffer, sizeof buffer);
  Matcher matcher(inventory, selectors_, options_.features, options_.quirks, arena);
  ASSIGN_OR_RETURN(const CheckedClaims checked, CheckClaims(claims, classes_, inventory, ledger, options_.features, matcher, arena));

  Answer answer;
  Search search(checked, inventory, ledger, options_, nullptr, matcher, arena);
  const Search::Outcome outcome = search.Run();
  answer.steps = search.steps();
  switch (outcome) {
    case Search::Outcome::kError: return search.error().ok() ? matcher.error() : search.error();
    case Search::Outcome::kGaveUp: answer.outcome = Answer::Outcome::kGaveUp; return answer;
    case Search::Outcome::kTooMany:
      return Invalid("claim ", claims.front()->FullName(), ": every alternative leads to more devices than the claim limit of ",
                     kMaxResults);
    case Search::Outcome::kFail: {
      for (const Pool& pool : inventory.pools()) {
        if (!pool.invalid.empty()) {
          return Unavailable("invalid resource pools were encountered: pool ", pool.driver, "/", pool.name, ": ", pool.invalid);
        }
      }
      if (options_.explain) answer.reasons = search.Explain();
      return answer;
    }
    case Search::Outcome::kDone: break;
  }
  answer.outcome = Answer::Outcome::kFits;

  if (options_.preference != nullptr) {
    // It fits: now look for the preferred way. Where that finds none within its steps, Kubernetes' way stands.
    Options rest = options_;
    rest.max_steps -= answer.steps;
    Search preferred(checked, inventory, ledger, rest, options_.preference, matcher, arena);
    const bool found = preferred.Run() == Search::Outcome::kDone;
    answer.steps += preferred.steps();
    if (found) {
      ASSIGN_OR_RETURN(answer.allocations, Assemble(checked, inventory, options_, preferred, random_));
      return answer;
    }
  }
  ASSIGN_OR_RETURN(answer.allocations, Assemble(checked, inventory, options_, search, random_));
  return answer;
}

}  // namespace allot::alloc
