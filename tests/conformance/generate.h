#pragma once
// Random cases for comparing this program with Kubernetes, in the shapes of the vectors.
//
// Promises:
//   1. a case is made from its kind and seed alone, on every platform, so that a failing one can be made again;
//   2. seeds are independent: every seed gives a case, and neighbours have nothing in common;
//   3. nearly every allocator case is decided by Kubernetes' search in well under 100 ms.
// The cases carry no expectation: the oracle (oracle/README.md) gives it.

#include <cstdint>
#include <string>

namespace allot::conformance {

// An allocator case: features, node, deviceClasses, resourceSlices, claims, allocated.
std::string GenerateAllocatorCase(uint64_t seed);

// A selector and one device: expression, driver, attributes, capacity, allowMultipleAllocations, sometimes features.
std::string GenerateCelCase(uint64_t seed);

// {"parse": text}, valid or almost, or {"a": text, "b": text}, both valid: what the oracle is asked, without the kind.
std::string GenerateQuantityText(uint64_t seed);

}  // namespace allot::conformance
