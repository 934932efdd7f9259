#pragma once
// The worst that an expression can cost, from the text alone.
//
// The same number as Kubernetes 1.36 computes when a selector is admitted: a selector above 1,000,000 is refused there. It depends on how
// large the parts of a device may be (at most 32 attributes of 64 bytes...), not on any device.

#include <cstdint>

#include "cel/ast.h"

namespace allot::cel {

// REQUIRES: `root` is checked. Saturates at UINT64_MAX.
uint64_t EstimateMaxCost(const Expr& root);
// Of an expression that sees values of the type `declared` (object_type.h) instead of a device.
uint64_t EstimateMaxCost(const Expr& root, const Type& declared);

}  // namespace allot::cel
