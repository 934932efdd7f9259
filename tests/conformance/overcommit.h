#pragma once
// Checks the most important promise: allot never allocates more of a device than it has.

#include <string>

#include "alloc/allocator.h"
#include "tests/conformance/case.h"

namespace allot::conformance {

// Adds the answer's allocations to those of the case, and describes the first device that is over-committed: more of a capacity is consumed
// than it has, or it is allocated whole and also to another claim. Empty if there is none. Ignores devices that the case itself
// over-commits, and negative amounts, which the API refuses.
std::string Overcommitted(const AllocatorCase& question, const alloc::Answer& answer);

}  // namespace allot::conformance
