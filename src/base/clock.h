#pragma once
// The time of day and the steady clock. Code whose tests control time takes a Clock&.

#include <chrono>

namespace allot {

using WallTime = std::chrono::system_clock::time_point;
using MonotonicTime = std::chrono::steady_clock::time_point;

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // The time shown to people and other machines. May jump.
  virtual WallTime Now() const = 0;
  // The time for deadlines and durations. Never goes back.
  virtual MonotonicTime MonotonicNow() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime Now() const override;
  MonotonicTime MonotonicNow() const override;
};

}  // namespace allot
