#include "kube/timestamp.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace allot::kube {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr sys_seconds kEarliest = std::chrono::sys_days(std::chrono::year(1970) / 1 / 1);
constexpr sys_seconds kLatest = std::chrono::sys_days(std::chrono::year(2200) / 1 / 1);

// Returns text[at, at + count) as a number, or -1 if they are not digits.
int Digits(std::string_view text, size_t at, size_t count) {
  int number = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

// Removes a fraction such as ".25" from the front. Returns nullopt for a point without digits.
std::optional<microseconds> TakeFraction(std::string_view& text) {
  if (!text.starts_with('.')) return microseconds(0);
  const size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  if (end == 1) return std::nullopt;
  int64_t value = 0;
  for (size_t i = 1; i <= 6; ++i) value = value * 10 + (i < end ? text[i] - '0' : 0);
  text.remove_prefix(end);
  return microseconds(value);
}

std::optional<seconds> Offset(std::string_view text) {
  if (text == "Z") return seconds(0);
  const int hour = Digits(text, 1, 2), minute = Digits(text, 4, 2);
  const bool is_offset = text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':';
  if (!is_offset || hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
  const seconds offset = hours(hour) + minutes(minute);
  return text[0] == '-' ? -offset : offset;
}

}  // namespace

std::optional<WallTime> ParseTime(std::string_view text) {
  const std::chrono::year_month_day day{std::chrono::year(Digits(text, 0, 4)),
                                        std::chrono::month(static_cast<unsigned>(Digits(text, 5, 2))),
                                        std::chrono::day(static_cast<unsigned>(Digits(text, 8, 2)))};
  const int hour = Digits(text, 11, 2), minute = Digits(text, 14, 2), second = Digits(text, 17, 2);
  const bool separated = text.size() > 19 && text[4] == '-' && text[7] == '-' && text[10] == 'T' && text[13] == ':' && text[16] == ':';
  if (!separated || Digits(text, 0, 4) < 0 || !day.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
      second > 59) {
    return std::nullopt;
  }
  std::string_view rest = text.substr(19);
  const auto fraction = TakeFraction(rest);
  const auto offset = Offset(rest);
  if (!fraction || !offset) return std::nullopt;
  const sys_seconds time = std::chrono::sys_days(day) + hours(hour) + minutes(minute) + seconds(second) - *offset;
  if (time < kEarliest) return kEarliest;
  if (time >= kLatest) return kLatest;
  return time + *fraction;
}

std::string WriteTime(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(time - day));
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

std::string WriteMicroTime(WallTime time) {
  const auto whole = std::chrono::floor<seconds>(time);
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%06dZ", static_cast<int>(std::chrono::floor<microseconds>(time - whole).count()));
  std::string text = WriteTime(whole);
  text.pop_back();
  return text + fraction;
}

}  // namespace allot::kube
