#pragma once
// Writes down a solution: the AllocationResult of each claim.

#include <vector>

#include "alloc/allocator.h"
#include "alloc/checked_claims.h"
#include "alloc/inventory.h"
#include "alloc/search.h"
#include "base/random.h"
#include "base/status.h"
#include "model/claim.h"

namespace allot::alloc {

// REQUIRES that the search is done. kInvalid for a slice whose node selector cannot be merged.
Result<std::vector<model::Allocation>> Assemble(const CheckedClaims& checked, const Inventory& inventory, const Options& options,
                                                const Search& search, Random& random);

}  // namespace allot::alloc
