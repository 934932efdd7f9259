#pragma once
// Times as Go parses and Kubernetes writes them.

#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::apiserver {

enum class TimePrecision { kSeconds, kMicroseconds };

// Converts "2026-01-02T03:04:05+01:00" to "2026-01-02T02:04:05Z": UTC, cut to the precision; empty for the zero time (the start of year 1).
// A time with microseconds must have all six digits. Returns kInvalid in Go's words.
Result<std::string> CanonicalTime(std::string_view text, TimePrecision precision);

}  // namespace allot::apiserver
