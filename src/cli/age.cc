#include "cli/age.h"

#include <charconv>
#include <cstdio>

#include "base/strings.h"

namespace allot::cli {
namespace {

std::string Two(int64_t big, std::string_view unit, int64_t small, std::string_view small_unit) {
  return small == 0 ? StrCat(big, unit) : StrCat(big, unit, small, small_unit);
}

// The number of exactly `digits` digits that `text` begins with, which is taken from it.
std::optional<int> TakeNumber(std::string_view& text, size_t digits) {
  int number = 0;
  if (text.size() < digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
  if (error != std::errc() || end != text.data() + digits || text[0] == '-') return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
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

std::optional<WallTime> ParseTime(std::string_view text) {
  const auto year = TakeNumber(text, 4);
  if (!year || !Take(text, '-')) return std::nullopt;
  const auto month = TakeNumber(text, 2);
  if (!month || !Take(text, '-')) return std::nullopt;
  const auto day = TakeNumber(text, 2);
  if (!day || !Take(text, 'T')) return std::nullopt;
  const auto hour = TakeNumber(text, 2);
  if (!hour || !Take(text, ':')) return std::nullopt;
  const auto minute = TakeNumber(text, 2);
  if (!minute || !Take(text, ':')) return std::nullopt;
  const auto second = TakeNumber(text, 2);
  if (!second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  WallTime time = std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
  if (Take(text, '.')) {
    int64_t unit = 1'000'000'000;
    int64_t nanoseconds = 0;
    size_t digits = 0;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), ++digits) {
      unit /= 10;
      nanoseconds += (text[0] - '0') * unit;
    }
    if (digits == 0) return std::nullopt;
    time += std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(nanoseconds));
  }
  if (text == "Z") return time;
  const bool west = text.starts_with('-');
  if (!Take(text, '+') && !Take(text, '-')) return std::nullopt;
  const auto offset_hours = TakeNumber(text, 2);
  if (!offset_hours || !Take(text, ':')) return std::nullopt;
  const auto offset_minutes = TakeNumber(text, 2);
  if (!offset_minutes || !text.empty()) return std::nullopt;
  const auto offset = std::chrono::hours(*offset_hours) + std::chrono::minutes(*offset_minutes);
  return west ? time + offset : time - offset;
}

std::string Age(std::string_view time, WallTime now) {
  const std::optional<WallTime> then = ParseTime(time);
  return then ? HumanDuration(now - *then) : "<unknown>";
}

std::string LongTime(std::string_view text) {
  const std::optional<WallTime> time = ParseTime(text);
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
