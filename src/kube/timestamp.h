#pragma once
// Times in the format of the Kubernetes API (RFC 3339).

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace allot::kube {

// Parses "2026-11-16T00:38:43Z", also with a fraction or an offset. Returns nullopt for other text. Clamps times to 1970-2200, so the
// difference of two times always fits.
std::optional<WallTime> ParseTime(std::string_view text);

// "2026-11-16T00:38:43Z", like metav1.Time.
std::string WriteTime(WallTime time);
// "2026-11-16T00:38:43.000000Z", like metav1.MicroTime.
std::string WriteMicroTime(WallTime time);

}  // namespace allot::kube
