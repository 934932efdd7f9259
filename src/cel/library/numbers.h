#pragma once
// Reads and writes numbers as text like Kubernetes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace allot::cel {

std::optional<int64_t> ParseInt(std::string_view text);    // [+-]digits
std::optional<uint64_t> ParseUint(std::string_view text);  // digits
std::optional<double> ParseDouble(std::string_view text);  // decimal, 0x1p-2, inf, nan; nullopt if too large
std::optional<bool> ParseBool(std::string_view text);      // 1 t T true True TRUE, 0 f F false False FALSE

// The shortest text that parses back to `d`: "1.5", "1e+06", "+Inf".
std::string FormatDouble(double d);
// The same without an exponent: "1000000".
std::string FormatFixed(double d);

}  // namespace allot::cel
