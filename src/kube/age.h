#pragma once
// How long ago something was, in the words of Kubernetes' tables.

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace allot::kube {

// "45s", "3m20s", "15m", "5h12m", "12h", "2d5h", "5d", "2y10d", "9y"; "<invalid>" for what is more than a second ahead.
std::string HumanDuration(std::chrono::nanoseconds duration);

// HumanDuration since `time`; "<unknown>" where that is no time.
std::string Age(std::string_view time, WallTime now);

}  // namespace allot::kube
