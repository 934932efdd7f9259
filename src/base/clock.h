#pragma once
// What time it is. Code that must be tested against time takes a Clock&.

#include <chrono>

namespace allot {

using WallTime = std::chrono::system_clock::time_point;
using MonotonicTime = std::chrono::steady_clock::time_point;

// Safe to use from several threads.
class Clock {
 public:
  virtual ~Clock() = default;

  // For what people and other machines read. May jump.
  virtual WallTime Now() const = 0;
  // For deadlines and durations. Never goes back.
  virtual MonotonicTime MonotonicNow() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime Now() const override;
  MonotonicTime MonotonicNow() const override;
};

}  // namespace allot
