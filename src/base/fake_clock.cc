#include "base/fake_clock.h"

#include "base/check.h"

namespace allot {

void FakeClock::Advance(std::chrono::nanoseconds by) {
  CHECK(by.count() >= 0);
  const std::lock_guard lock(mutex_);
  now_ += std::chrono::duration_cast<WallTime::duration>(by);
  monotonic_ += by;
}

}  // namespace allot
