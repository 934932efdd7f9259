#pragma once
// The clock of the benchmarks, and a count of heap allocations.

#include <chrono>
#include <cstdint>
#include <vector>

#include "tests/bench/report.h"

namespace allot::bench {

// The number of calls of operator new so far (measure.cc replaces it).
uint64_t HeapAllocations();

struct Measured {
  double ns = 0;           // for each call: the median of the batches' means
  double allocations = 0;  // of the heap, for each call
};

// Runs work() in seven batches of at least two milliseconds each, like the oracle.
template <typename Work>
Measured Measure(Work work) {
  using Clock = std::chrono::steady_clock;
  const auto batch = [&](int n) {
    const auto start = Clock::now();
    for (int i = 0; i < n; ++i) work();
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  };
  int n = 1;
  while (batch(n) < 2e6 && n < (1 << 24)) n *= 2;
  std::vector<double> means;
  const uint64_t before = HeapAllocations();
  for (int i = 0; i < 7; ++i) means.push_back(batch(n) / n);
  const double allocations = static_cast<double>(HeapAllocations() - before) / (7.0 * n);
  return {Median(std::move(means)), allocations};
}

}  // namespace allot::bench
