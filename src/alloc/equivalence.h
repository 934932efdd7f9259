#pragma once
// Which devices are interchangeable for the claims of a Pod, and how alike two states of a search are.
//
// Two devices are of one class when no ask, constraint, counter or share of the claims can tell them apart: they match the same requests,
// offer and have left the same, and carry the same values of constrained attributes. What the claims do not look at (a UUID, say) does not
// count. If a search fails in one state, it fails in every state that differs only in which devices of a class were used how.

#include <cstdint>
#include <vector>

#include "alloc/checked_claims.h"
#include "alloc/constraint.h"
#include "alloc/hash.h"
#include "alloc/inventory.h"
#include "alloc/ledger.h"
#include "alloc/matcher.h"

namespace allot::alloc {

class Equivalence {
 public:
  Equivalence(const CheckedClaims& checked, const Inventory& inventory, const Ledger& ledger, const Features& features, Matcher& matcher);

  // Of a device in use as `signature` says (0: unused by this search).
  Hash128 HashOf(uint32_t device, uint64_t signature) const { return Hash128::Of(class_of_[device], signature); }
  // The sum of HashOf(device, 0) over the devices from `start` on.
  const Hash128& UnusedFrom(uint32_t start) const { return unused_from_[start]; }

 private:
  std::vector<uint64_t> class_of_;
  std::vector<Hash128> unused_from_;
};

}  // namespace allot::alloc
