// Parts of timestamps (getFullYear()...) and durations (getHours()...). Months and days count from 0, except in getDate().

#include "cel/compile/declarations.h"
#include "cel/eval/frame.h"
#include "cel/library/time.h"

namespace allot::cel {
namespace {

using Args = std::span<const Value>;

// Applies `get` to a timestamp in UTC, or in the zone named by the second argument.
template <typename Get>
Value PartOf(Args args, Get get) {
  int64_t offset = 0;
  if (args.size() == 2) {
    const auto zone = ZoneOffset(args[1].Text(), args[0].integer);
    if (!zone) return Value::Error("unknown time zone");
    offset = *zone;
  }
  return Value::Int(get(CalendarOf(args[0].integer + offset)));
}

Value Year(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.year; });
}
Value Month(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.month - 1; });
}
Value DayOfYear(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.day_of_year; });
}
Value DayOfMonth(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.day - 1; });
}
Value Date(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.day; });
}
Value DayOfWeek(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.day_of_week; });
}
Value Hours(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.hour; });
}
Value Minutes(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.minute; });
}
Value Seconds(Frame&, Args args) {
  return PartOf(args, [](const Calendar& c) { return c.second; });
}
Value Milliseconds(Frame&, Args args) {
  const int64_t milliseconds = args[0].size / 1'000'000;
  return PartOf(args, [&](const Calendar&) { return milliseconds; });
}

// The duration in units of `unit` nanoseconds, computed as a double like in Kubernetes.
Value InUnits(const Value& duration, int64_t unit) {
  const double whole = static_cast<double>(duration.integer / unit);
  const double rest = static_cast<double>(duration.integer % unit) / static_cast<double>(unit);
  return Value::Int(static_cast<int64_t>(whole + rest));
}
Value DurationHours(Frame&, Args args) { return InUnits(args[0], 3'600'000'000'000); }
Value DurationMinutes(Frame&, Args args) { return InUnits(args[0], 60'000'000'000); }
Value DurationInSeconds(Frame&, Args args) { return InUnits(args[0], 1'000'000'000); }
Value DurationMilliseconds(Frame&, Args args) { return Value::Int(args[0].integer / 1'000'000); }

constexpr std::string_view kPlain = ".timestamp->int", kInZone = ".timestamp,string->int", kOfDuration = ".duration->int";

constexpr Declaration kTable[] = {
    {"getFullYear", "timestamp_to_year", kPlain, Year},
    {"getFullYear", "timestamp_to_year_with_tz", kInZone, Year},
    {"getMonth", "timestamp_to_month", kPlain, Month},
    {"getMonth", "timestamp_to_month_with_tz", kInZone, Month},
    {"getDayOfYear", "timestamp_to_day_of_year", kPlain, DayOfYear},
    {"getDayOfYear", "timestamp_to_day_of_year_with_tz", kInZone, DayOfYear},
    {"getDayOfMonth", "timestamp_to_day_of_month", kPlain, DayOfMonth},
    {"getDayOfMonth", "timestamp_to_day_of_month_with_tz", kInZone, DayOfMonth},
    {"getDate", "timestamp_to_day_of_month_1_based", kPlain, Date},
    {"getDate", "timestamp_to_day_of_month_1_based_with_tz", kInZone, Date},
    {"getDayOfWeek", "timestamp_to_day_of_week", kPlain, DayOfWeek},
    {"getDayOfWeek", "timestamp_to_day_of_week_with_tz", kInZone, DayOfWeek},
    {"getHours", "timestamp_to_hours", kPlain, Hours},
    {"getHours", "timestamp_to_hours_with_tz", kInZone, Hours},
    {"getHours", "duration_to_hours", kOfDuration, DurationHours},
    {"getMinutes", "timestamp_to_minutes", kPlain, Minutes},
    {"getMinutes", "timestamp_to_minutes_with_tz", kInZone, Minutes},
    {"getMinutes", "duration_to_minutes", kOfDuration, DurationMinutes},
    {"getSeconds", "timestamp_to_seconds", kPlain, Seconds},
    {"getSeconds", "timestamp_to_seconds_tz", kInZone, Seconds},
    {"getSeconds", "duration_to_seconds", kOfDuration, DurationInSeconds},
    {"getMilliseconds", "timestamp_to_milliseconds", kPlain, Milliseconds},
    {"getMilliseconds", "timestamp_to_milliseconds_with_tz", kInZone, Milliseconds},
    {"getMilliseconds", "duration_to_milliseconds", kOfDuration, DurationMilliseconds},
};

}  // namespace

std::span<const Declaration> TimeFunctions() { return kTable; }

}  // namespace allot::cel
