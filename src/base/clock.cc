#include "base/clock.h"

namespace allot {

WallTime SystemClock::Now() const { return std::chrono::system_clock::now(); }
MonotonicTime SystemClock::MonotonicNow() const { return std::chrono::steady_clock::now(); }

}  // namespace allot
