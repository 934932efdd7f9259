#pragma once
// For tests that a cost does not grow with the square of the input. Counts CPU time of the calling thread, so that a busy machine does not
// matter.

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>

namespace allot {

inline double ThreadSeconds() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// How many times as long work(4 * size) takes as work(size), each at its best: about 4 if the cost is linear, 16 if it is quadratic.
template <typename Work>
double GrowthAtFourTimes(size_t size, Work work) {
  const auto best = [&](size_t of) {
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) {
      const double begin = ThreadSeconds();
      work(of);
      least = std::min(least, ThreadSeconds() - begin);
    }
    return least;
  };
  const double small = best(size);
  return best(4 * size) / small;
}

}  // namespace allot
