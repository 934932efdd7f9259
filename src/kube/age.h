#pragma once
// Durations as Kubernetes' tables print them.

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace allot::kube {

// "45s", "3m20s", "15m", "5h12m", "12h", "2d5h", "5d", "2y10d", "9y"; "<invalid>" if more than a second in the future.
std::string HumanDuration(std::chrono::nanoseconds duration);

// HumanDuration since `time`; "<unknown>" if `time` cannot be parsed.
std::string Age(std::string_view time, WallTime now);

}  // namespace allot::kube
