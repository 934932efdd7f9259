#pragma once
// A clock that stands still until a test moves it.

#include <mutex>

#include "base/clock.h"

namespace allot {

class FakeClock final : public Clock {
 public:
  // 2026-01-01T00:00:00Z
  FakeClock() : FakeClock(WallTime(std::chrono::seconds(1767225600))) {}
  explicit FakeClock(WallTime now) : now_(now) {}

  WallTime Now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  MonotonicTime MonotonicNow() const override {
    const std::lock_guard lock(mutex_);
    return monotonic_;
  }

  // Moves both clocks. REQUIRES: `by` is not negative.
  void Advance(std::chrono::nanoseconds by);
  // Sets the wall clock alone, in either direction, as an administrator may.
  void SetWall(WallTime now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
  }

 private:
  mutable std::mutex mutex_;
  WallTime now_;
  MonotonicTime monotonic_{std::chrono::hours(1)};
};

}  // namespace allot
