#pragma once
// Times as the Kubernetes API writes them (RFC 3339).

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace allot::kube {

// The time of "2026-11-16T00:38:43Z", also with a fraction or an offset; nothing for other text. What is before 1970 or after 2200 is taken
// for the nearest of these, so that no difference of two times leaves the clock's range.
std::optional<WallTime> ParseTime(std::string_view text);

// "2026-11-16T00:38:43Z", as metav1.Time.
std::string WriteTime(WallTime time);
// "2026-11-16T00:38:43.000000Z", as metav1.MicroTime.
std::string WriteMicroTime(WallTime time);

}  // namespace allot::kube
