#include "apiserver/schema/go_time.h"

#include <chrono>
#include <cstdio>

namespace allot::apiserver {

namespace {

constexpr std::string_view kSecondsLayout = "2006-01-02T15:04:05Z07:00", kMicrosLayout = "2006-01-02T15:04:05.000000Z07:00";
constexpr std::string_view kFraction = ".000000";
constexpr size_t kQuoted = 200;  // bytes of a hostile text that a message repeats

bool IsDigit(std::string_view text, size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

// Reads the parts of a time in the order of Go's layout. Stops at the first error.
class Reader {
 public:
  Reader(std::string_view text, TimePrecision precision)
      : text_(text), rest_(text), layout_(precision == TimePrecision::kSeconds ? kSecondsLayout : kMicrosLayout) {}

  const Status& status() const { return status_; }

  // Reads `digits` digits, as the layout's `element`.
  int Number(std::string_view element, size_t digits) {
    if (!status_.ok()) return 0;
    int number = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (!IsDigit(rest_, i)) return Fail(rest_, element), 0;
      number = number * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return number;
  }

  // Go also accepts hours of one digit.
  int Hour() { return Number("15", IsDigit(rest_, 0) && !IsDigit(rest_, 1) ? 1 : 2); }

  void Literal(std::string_view expected) {
    if (!status_.ok()) return;
    if (!rest_.starts_with(expected)) return Fail(rest_, expected);
    rest_.remove_prefix(expected.size());
  }

  void Check(bool in_range, std::string_view what) {
    if (status_.ok() && !in_range) status_ = Invalid("parsing time ", Quoted(text_, kQuoted), ": ", what, " out of range");
  }

  // Skips a fraction of any length.
  void SkipFraction() {
    if (!status_.ok() || !(rest_.starts_with('.') || rest_.starts_with(',')) || !IsDigit(rest_, 1)) return;
    size_t length = 2;
    while (IsDigit(rest_, length)) ++length;
    rest_.remove_prefix(length);
  }

  // Reads six digits of a second.
  int Microseconds() {
    if (!status_.ok()) return 0;
    const std::string_view whole = rest_;
    int number = 0;
    for (size_t i = 1; i < kFraction.size(); ++i) {
      if (!(whole.starts_with('.') || whole.starts_with(',')) || !IsDigit(whole, i)) return Fail(whole, kFraction), 0;
      number = number * 10 + (whole[i] - '0');
    }
    rest_.remove_prefix(kFraction.size());
    return number;
  }

  // Returns seconds east of UTC.
  int Zone() {
    if (!status_.ok()) return 0;
    constexpr std::string_view kZone = "Z07:00";
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return 0;
    }
    const std::string_view zone = rest_.substr(0, kZone.size());
    const bool shaped = zone.size() == kZone.size() && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':' && IsDigit(zone, 1) &&
                        IsDigit(zone, 2) && IsDigit(zone, 4) && IsDigit(zone, 5);
    if (!shaped) return Fail(rest_, kZone), 0;
    const int hours = (zone[1] - '0') * 10 + zone[2] - '0', minutes = (zone[4] - '0') * 10 + zone[5] - '0';
    Check(hours <= 24, "time zone offset hour");
    Check(minutes <= 60, "time zone offset minute");
    rest_.remove_prefix(kZone.size());
    return (zone[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  }

  void End() {
    if (status_.ok() && !rest_.empty()) {
      status_ = Invalid("parsing time ", Quoted(text_, kQuoted), ": extra text: ", Quoted(rest_, kQuoted));
    }
  }

 private:
  void Fail(std::string_view rest, std::string_view element) {
    status_ = Invalid("parsing time ", Quoted(text_, kQuoted), " as ", Quoted(layout_), ": cannot parse ", Quoted(rest, kQuoted), " as ",
                      Quoted(element));
  }

  const std::string_view text_;
  std::string_view rest_;
  const std::string_view layout_;
  Status status_;
};

}  // namespace

Result<std::string> CanonicalTime(std::string_view text, TimePrecision precision) {
  Reader reader(text, precision);
  const int year = reader.Number("2006", 4);
  reader.Literal("-");
  const int month = reader.Number("01", 2);
  reader.Check(month >= 1 && month <= 12, "month");
  reader.Literal("-");
  const int day = reader.Number("02", 2);
  reader.Literal("T");
  const int hour = reader.Hour();
  reader.Check(hour < 24, "hour");
  reader.Literal(":");
  const int minute = reader.Number("04", 2);
  reader.Check(minute < 60, "minute");
  reader.Literal(":");
  const int second = reader.Number("05", 2);
  reader.Check(second < 60, "second");
  const bool micro = precision == TimePrecision::kMicroseconds;
  if (!micro) reader.SkipFraction();
  const int microseconds = micro ? reader.Microseconds() : 0;
  const int offset = reader.Zone();
  reader.End();
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  reader.Check(date.ok(), "day");
  TRY(reader.status());

  const std::chrono::sys_seconds at =
      std::chrono::sys_days(date) + std::chrono::seconds(static_cast<int64_t>(hour) * 3600 + minute * 60 + second - offset);
  const auto midnight = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day utc(midnight);
  const std::chrono::hh_mm_ss clock(at - midnight);
  if (utc == std::chrono::year(1) / 1 / 1 && at == midnight && microseconds == 0) return std::string();
  if (!micro && text.size() == std::string_view("2006-01-02T15:04:05Z").size() && text.ends_with('Z')) return std::string(text);
  char buffer[64];
  const int size =
      std::snprintf(buffer, sizeof buffer, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(utc.year()),
                    static_cast<unsigned>(utc.month()), static_cast<unsigned>(utc.day()), static_cast<int>(clock.hours().count()),
                    static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
  std::string written(buffer, static_cast<size_t>(size));
  if (micro) written.append(buffer, static_cast<size_t>(std::snprintf(buffer, sizeof buffer, ".%06d", microseconds)));
  return written + "Z";
}

}  // namespace allot::apiserver
