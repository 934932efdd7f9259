#pragma once
// Times as Go reads and Kubernetes writes them.

#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::apiserver {

enum class TimePrecision { kSeconds, kMicroseconds };

// "2026-01-02T03:04:05+01:00" as "2026-01-02T02:04:05Z": in UTC, cut to the precision; empty for the zero time (the begin of year 1).
// A time with microseconds must be written with all six digits of them. kInvalid in the words of Go.
Result<std::string> CanonicalTime(std::string_view text, TimePrecision precision);

}  // namespace allot::apiserver
