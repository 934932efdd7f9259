#pragma once
// Values of flags that the parser checks, as the table of flags names them: NUMBER, SECONDS, TIME, NAMESPACE, URL.

#include <chrono>
#include <string_view>

#include "base/status.h"

namespace allot::cli {

// NUMBER: 0 to a million, with or without a fraction.
Result<double> ParseNumber(std::string_view text);
// SECONDS: whole; -1 stands for "not given", as for kubectl.
Result<int64_t> ParseSeconds(std::string_view text);
// TIME: Go's durations ("500ms", "30s", "1m30s", "2h"), and seconds without a unit. Parts of a millisecond count as one.
// 0: no limit, which is given as 0.
Result<std::chrono::milliseconds> ParseTime(std::string_view text);

// Ok when `text` may be the value of a flag that calls its value `kind`; all other kinds take any text.
Status CheckValue(std::string_view kind, std::string_view text);

}  // namespace allot::cli
