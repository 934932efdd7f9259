#pragma once
// Checks values of flags, by the name of the value in the table of flags: NUMBER, SECONDS, TIME, NAMESPACE, URL.

#include <chrono>
#include <string_view>

#include "base/status.h"

namespace allot::cli {

// NUMBER: 0 to a million, with or without a fraction.
Result<double> ParseNumber(std::string_view text);
// SECONDS: whole; -1 stands for "not given", as for kubectl.
Result<int64_t> ParseSeconds(std::string_view text);
// TIME: Go's durations ("500ms", "30s", "1m30s", "2h"), and seconds without a unit. Rounds up to milliseconds. 0 means no limit.
Result<std::chrono::milliseconds> ParseTime(std::string_view text);

// Checks `text` as the value of a flag whose value is named `kind`. Other kinds accept any text.
Status CheckValue(std::string_view kind, std::string_view text);

}  // namespace allot::cli
