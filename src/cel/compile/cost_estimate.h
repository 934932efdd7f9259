#pragma once
// The maximal cost of an expression, computed from its text alone.
//
// This is the number that Kubernetes 1.36 computes when it admits a selector; it rejects a selector above 1,000,000. The number depends on
// the maximal size of a device (at most 32 attributes of 64 bytes...), not on any actual device.

#include <cstdint>

#include "cel/compile/ast.h"

namespace allot::cel {

// REQUIRES: `root` is checked. Saturates at UINT64_MAX.
uint64_t EstimateMaxCost(const Expr& root);
// The same for an expression over values of the type `declared` (object_type.h) instead of a device.
uint64_t EstimateMaxCost(const Expr& root, const Type& declared);

}  // namespace allot::cel
