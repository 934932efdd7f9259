#pragma once
// The promise above all others: what is given out of a device is never more than it has.

#include <string>

#include "alloc/allocator.h"
#include "tests/conformance/case.h"

namespace allot::conformance {

// Adds the answer's allocations to what the case says is held, and names the first device that is then over-committed: more of a capacity
// consumed than there is, or taken whole and held by somebody else too. Empty when there is none. Devices that the case itself
// over-commits, and negative amounts (which the API refuses), are passed over.
std::string Overcommitted(const AllocatorCase& question, const alloc::Answer& answer);

}  // namespace allot::conformance
