#pragma once
// Durations and timestamps: text, calendar, arithmetic, with the ranges and rounding of Kubernetes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/eval/value.h"

namespace allot::cel {

inline constexpr int64_t kMinUnixSeconds = -62135596800;  // 0001-01-01T00:00:00Z
inline constexpr int64_t kMaxUnixSeconds = 253402300799;  // 9999-12-31T23:59:59Z

// Parses "1h30m", "-1.5s", "300ms" to nanoseconds.
std::optional<int64_t> ParseDuration(std::string_view text);
// Writes seconds with a fraction and "s".
std::string FormatDuration(int64_t nanoseconds);
double DurationSeconds(int64_t nanoseconds);

// Parses RFC 3339. Returns nullopt if that fails, and sets *out_of_range for a year outside 1 to 9999.
std::optional<Value> ParseTimestamp(std::string_view text, bool* out_of_range);
// Writes RFC 3339 in the zone that the timestamp was given in.
std::string FormatTimestamp(const Value& timestamp);

struct Calendar {
  int64_t year = 0;
  int month = 0;        // 1 to 12
  int day = 0;          // 1 to 31
  int day_of_week = 0;  // 0 is Sunday
  int day_of_year = 0;  // from 0
  int hour = 0, minute = 0, second = 0;
};
Calendar CalendarOf(int64_t unix_seconds);

// Returns the seconds east of UTC at that time of "UTC", "Europe/Berlin" or "-08:30". Returns nullopt for an unknown zone.
std::optional<int64_t> ZoneOffset(std::string_view zone, int64_t unix_seconds);

// timestamp + duration; nullopt outside the years 1 to 9999.
std::optional<Value> AddToTimestamp(const Value& timestamp, int64_t nanoseconds);
// a - b; nullopt if the nanoseconds do not fit into 64 bits.
std::optional<int64_t> TimestampDifference(const Value& a, const Value& b);

}  // namespace allot::cel
