#pragma once
// A token bucket: a number of requests per second on average, and a number at once.
//
// Thread-safe.

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>

#include "base/clock.h"

namespace allot::kube {

class RateLimit {
 public:
  // `per_second` 0: no limit.
  RateLimit(double per_second, int burst) : per_second_(per_second), burst_(burst), tokens_(burst) {}

  // Takes a token and returns how long the caller must wait before using it. Returns nullopt, and takes none, if that exceeds `longest`.
  std::optional<std::chrono::nanoseconds> Take(MonotonicTime now, std::optional<std::chrono::nanoseconds> longest) {
    if (per_second_ <= 0) return std::chrono::nanoseconds(0);
    const std::lock_guard lock(mutex_);
    if (last_ != MonotonicTime()) {
      tokens_ = std::min(burst_, tokens_ + per_second_ * std::chrono::duration<double>(now - last_).count());
    }
    last_ = now;
    if (tokens_ >= 1) {
      tokens_ -= 1;
      return std::chrono::nanoseconds(0);
    }
    const std::chrono::duration<double> wait((1 - tokens_) / per_second_);
    if (longest && wait > *longest) return std::nullopt;
    tokens_ -= 1;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(wait);
  }

 private:
  const double per_second_, burst_;
  std::mutex mutex_;
  double tokens_;
  MonotonicTime last_;
};

}  // namespace allot::kube
