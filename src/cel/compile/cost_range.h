#pragma once
// Arithmetic on [min, max] ranges of sizes and costs. Saturates at UINT64_MAX.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace allot::cel {

inline constexpr uint64_t kUnbounded = UINT64_MAX;

// Costs of traversing: one unit is ten characters; a pattern of four characters costs one unit for each of these.
inline constexpr double kTraversalFactor = 0.1;
inline constexpr double kRegexFactor = 0.25;
inline constexpr uint64_t kListCost = 10, kMapCost = 30, kStructCost = 40;

struct Range {
  uint64_t min = 0;
  uint64_t max = 0;

  static Range Of(uint64_t both) { return {both, both}; }
  static Range Unknown() { return {0, kUnbounded}; }

  Range operator+(const Range& other) const { return {Add(min, other.min), Add(max, other.max)}; }
  Range operator*(const Range& other) const { return {Multiply(min, other.min), Multiply(max, other.max)}; }
  // Each bound times `factor`, rounded up.
  Range Scaled(double factor) const { return {Scale(min, factor), Scale(max, factor)}; }
  Range Union(const Range& other) const { return {std::min(min, other.min), std::max(max, other.max)}; }

 private:
  static uint64_t Add(uint64_t a, uint64_t b) { return a > kUnbounded - b ? kUnbounded : a + b; }
  static uint64_t Multiply(uint64_t a, uint64_t b) { return b != 0 && a > kUnbounded / b ? kUnbounded : a * b; }
  static uint64_t Scale(uint64_t a, double factor) {
    constexpr double kTwoTo64 = 18446744073709551616.0;
    const auto x = static_cast<double>(a);
    if (x > 0 && factor > 0 && x > kTwoTo64 / factor) return kUnbounded;
    const double scaled = std::ceil(x * factor);
    return scaled >= kTwoTo64 ? kUnbounded : static_cast<uint64_t>(scaled);
  }
};

}  // namespace allot::cel
