#pragma once
// Values that are text in JSON and numbers in protobuf.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace allot::apiserver {

struct Timestamp {
  int64_t seconds = 0;  // since 1970
  int32_t nanoseconds = 0;
};

// "2026-11-16T00:38:43Z"; with `micro`, "2026-11-16T00:38:43.000000Z". nullopt outside the years 1 to 9999.
std::optional<std::string> TimeText(Timestamp time, bool micro);
// Parses RFC 3339; nullopt for other text.
std::optional<Timestamp> TimeOf(std::string_view text);

// Go's form of durations: "1h30m0s", "1.5s", "20ms", "0s".
std::string DurationText(int64_t nanoseconds);
std::optional<int64_t> DurationOf(std::string_view text);

// The shortest number that parses back to the same value, as Go writes it in JSON. nullopt if it is not a number.
std::optional<std::string> DoubleText(double value);

// Replaces each byte that is not UTF-8 by U+FFFD. Returns the same view if there is none, else a view of `buffer`.
std::string_view MendUtf8(std::string_view text, std::string& buffer);

}  // namespace allot::apiserver
