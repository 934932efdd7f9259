#include "cli/age.h"

#include <cstdio>

#include "base/strings.h"
#include "kube/timestamp.h"

namespace allot::cli {
namespace {

std::string Two(int64_t big, std::string_view unit, int64_t small, std::string_view small_unit) {
  return small == 0 ? StrCat(big, unit) : StrCat(big, unit, small, small_unit);
}

}  // namespace

std::string HumanDuration(std::chrono::nanoseconds duration) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60 * 2) return StrCat(seconds, "s");
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return Two(minutes, "m", seconds % 60, "s");
  if (minutes < 60 * 3) return StrCat(minutes, "m");
  const int64_t hours = minutes / 60;
  if (hours < 8) return Two(hours, "h", minutes % 60, "m");
  if (hours < 48) return StrCat(hours, "h");
  if (hours < 24 * 8) return Two(hours / 24, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return StrCat(hours / 24, "d");
  if (hours < 24 * 365 * 8) return Two(hours / 24 / 365, "y", hours / 24 % 365, "d");
  return StrCat(hours / 24 / 365, "y");
}

std::string Age(std::string_view time, WallTime now) {
  const std::optional<WallTime> then = kube::ParseTime(time);
  return then ? HumanDuration(now - *then) : "<unknown>";
}

std::string LongTime(std::string_view text) {
  const std::optional<WallTime> time = kube::ParseTime(text);
  if (!time) return std::string(text);
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto days = std::chrono::floor<std::chrono::days>(*time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(*time - days));
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%s, %02u %s %04d %02d:%02d:%02d +0000", kDays[std::chrono::weekday(days).c_encoding()],
                static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return buffer;
}

}  // namespace allot::cli
