#pragma once
// Random cases for comparing this program with Kubernetes, in the shapes of the vectors.
//
// Promises:
//   1. a case depends only on its kind and seed, on every platform, so that a failing case can be reproduced;
//   2. every seed gives a case, and the cases of neighbouring seeds are unrelated;
//   3. Kubernetes' search decides nearly every allocator case in well under 100 ms.
// The cases have no expectation: the oracle (oracle/README.md) gives it.

#include <cstdint>
#include <string>

namespace allot::conformance {

// An allocator case: features, node, deviceClasses, resourceSlices, claims, allocated.
std::string GenerateAllocatorCase(uint64_t seed);

// A selector and one device: expression, driver, attributes, capacity, allowMultipleAllocations, sometimes features.
std::string GenerateCelCase(uint64_t seed);

// {"parse": text}, valid or almost valid, or {"a": text, "b": text}, both valid: a question to the oracle, without the kind.
std::string GenerateQuantityText(uint64_t seed);

}  // namespace allot::conformance
