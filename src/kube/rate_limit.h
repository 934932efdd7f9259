#pragma once
// A token bucket: so many a second on average, so many at once.
//
// Thread-safe.

#include <chrono>
#include <mutex>

#include "base/clock.h"

namespace allot::kube {

class RateLimit {
 public:
  // `per_second` 0: no limit.
  RateLimit(double per_second, int burst) : per_second_(per_second), burst_(burst), tokens_(burst) {}

  // Takes a token, and says how long the caller must wait before it acts on it.
  std::chrono::nanoseconds Take(MonotonicTime now) {
    if (per_second_ <= 0) return {};
    const std::lock_guard lock(mutex_);
    if (last_ != MonotonicTime()) {
      tokens_ = std::min(burst_, tokens_ + per_second_ * std::chrono::duration<double>(now - last_).count());
    }
    last_ = now;
    tokens_ -= 1;
    if (tokens_ >= 0) return {};
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(-tokens_ / per_second_));
  }

 private:
  const double per_second_, burst_;
  std::mutex mutex_;
  double tokens_;
  MonotonicTime last_;
};

}  // namespace allot::kube
