#include "cel/library/time.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <memory>

#include "base/strings.h"
#include "cel/library/numbers.h"

namespace allot::cel {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsLeap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int DaysIn(int64_t year, int month) {
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeap(year) ? 29 : kDays[static_cast<size_t>(month - 1)];
}

// Days from 1970-01-01 to a date of the Gregorian calendar.
int64_t DaysSinceEpoch(int64_t year, int month, int day) {
  // Start years in March, so that the leap day is the last day.
  const int64_t y = year - (month <= 2 ? 1 : 0);
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

// Reads digits. Returns false if they overflow.
bool LeadingInt(std::string_view* text, uint64_t* value) {
  constexpr uint64_t kMax = uint64_t{1} << 63;
  *value = 0;
  while (!text->empty() && IsDigit(text->front())) {
    if (*value > kMax / 10) return false;
    *value = *value * 10 + static_cast<uint64_t>(text->front() - '0');
    if (*value > kMax) return false;
    text->remove_prefix(1);
  }
  return true;
}

// Reads the digits after the point as value / scale. Ignores digits that do not fit.
void LeadingFraction(std::string_view* text, uint64_t* value, double* scale) {
  constexpr uint64_t kMax = uint64_t{1} << 63;
  *value = 0;
  *scale = 1;
  bool overflow = false;
  for (; !text->empty() && IsDigit(text->front()); text->remove_prefix(1)) {
    if (overflow) continue;
    if (*value > (kMax - 1) / 10) {
      overflow = true;
      continue;
    }
    const uint64_t next = *value * 10 + static_cast<uint64_t>(text->front() - '0');
    if (next > kMax) {
      overflow = true;
      continue;
    }
    *value = next;
    *scale *= 10;
  }
}

uint64_t UnitOf(std::string_view name) {
  if (name == "ns") return 1;
  if (name == "us" || name == "\xC2\xB5s" || name == "\xCE\xBCs") return 1000;
  if (name == "ms") return 1'000'000;
  if (name == "s") return kSecond;
  if (name == "m") return 60 * kSecond;
  if (name == "h") return 3600 * kSecond;
  return 0;
}

// Reads one or two digits (exactly two if `fixed`).
bool TakeNumber(std::string_view* text, bool fixed, int* value) {
  if (text->empty() || !IsDigit(text->front())) return false;
  const bool two = text->size() > 1 && IsDigit((*text)[1]);
  if (fixed && !two) return false;
  *value = text->front() - '0';
  if (two) *value = *value * 10 + ((*text)[1] - '0');
  text->remove_prefix(two ? 2 : 1);
  return true;
}

bool Take(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

}  // namespace

std::optional<int64_t> ParseDuration(std::string_view text) {
  constexpr uint64_t kMax = uint64_t{1} << 63;
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  uint64_t total = 0;
  while (!text.empty()) {
    if (text[0] != '.' && !IsDigit(text[0])) return std::nullopt;
    const size_t before = text.size();
    uint64_t whole = 0;
    if (!LeadingInt(&text, &whole)) return std::nullopt;
    const bool has_whole = text.size() != before;
    uint64_t fraction = 0;
    double scale = 1;
    bool has_fraction = false;
    if (Take(&text, '.')) {
      const size_t behind_point = text.size();
      LeadingFraction(&text, &fraction, &scale);
      has_fraction = text.size() != behind_point;
    }
    if (!has_whole && !has_fraction) return std::nullopt;
    size_t length = 0;
    while (length < text.size() && text[length] != '.' && !IsDigit(text[length])) ++length;
    const uint64_t unit = UnitOf(text.substr(0, length));
    if (unit == 0 || whole > kMax / unit) return std::nullopt;
    text.remove_prefix(length);
    whole *= unit;
    if (fraction > 0) {
      whole += static_cast<uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / scale));
      if (whole > kMax) return std::nullopt;
    }
    total += whole;
    if (total > kMax) return std::nullopt;
  }
  if (negative) return static_cast<int64_t>(uint64_t{0} - total);
  if (total > kMax - 1) return std::nullopt;
  return static_cast<int64_t>(total);
}

double DurationSeconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds / kSecond) + static_cast<double>(nanoseconds % kSecond) / 1e9;
}

std::string FormatDuration(int64_t nanoseconds) { return FormatFixed(DurationSeconds(nanoseconds)) + "s"; }

std::optional<Value> ParseTimestamp(std::string_view text, bool* out_of_range) {
  *out_of_range = false;
  if (text.size() < 4) return std::nullopt;
  const auto year = ParseUint(text.substr(0, 4));
  if (!year) return std::nullopt;
  text.remove_prefix(4);
  int month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!Take(&text, '-') || !TakeNumber(&text, true, &month) || !Take(&text, '-') || !TakeNumber(&text, true, &day)) return std::nullopt;
  if (!Take(&text, 'T') || !TakeNumber(&text, false, &hour) || !Take(&text, ':') || !TakeNumber(&text, true, &minute)) return std::nullopt;
  if (!Take(&text, ':') || !TakeNumber(&text, true, &second)) return std::nullopt;
  const auto full_year = static_cast<int64_t>(*year);
  if (month < 1 || month > 12 || day < 1 || day > DaysIn(full_year, month) || hour > 23 || minute > 59 || second > 59) return std::nullopt;

  uint32_t nanoseconds = 0;
  if (text.size() >= 2 && (text[0] == '.' || text[0] == ',') && IsDigit(text[1])) {
    text.remove_prefix(1);
    uint32_t place = 100'000'000;
    for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), place /= 10)
      nanoseconds += place * static_cast<uint32_t>(text[0] - '0');
  }

  int zone = 0;
  if (!Take(&text, 'Z')) {
    const bool west = !text.empty() && text[0] == '-';
    int hours = 0, minutes = 0;
    if (!Take(&text, west ? '-' : '+') || !TakeNumber(&text, true, &hours) || !Take(&text, ':') || !TakeNumber(&text, true, &minutes)) {
      return std::nullopt;
    }
    if (hours > 24 || minutes > 60) return std::nullopt;
    zone = (hours * 60 + minutes) * (west ? -1 : 1);
  }
  if (!text.empty()) return std::nullopt;
  const int64_t seconds = DaysSinceEpoch(full_year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone * 60;
  if (seconds < kMinUnixSeconds || seconds > kMaxUnixSeconds) {
    *out_of_range = true;
    return std::nullopt;
  }
  return Value::Timestamp(seconds, nanoseconds, static_cast<int16_t>(zone));
}

Calendar CalendarOf(int64_t unix_seconds) {
  int64_t days = unix_seconds / 86400;
  int64_t rest = unix_seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  Calendar c;
  c.hour = static_cast<int>(rest / 3600);
  c.minute = static_cast<int>(rest / 60 % 60);
  c.second = static_cast<int>(rest % 60);
  c.day_of_week = static_cast<int>(((days + 4) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
  const int64_t shifted = days + 719468;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;
  c.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  c.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  c.year = year_of_era + era * 400 + (c.month <= 2 ? 1 : 0);
  c.day_of_year = static_cast<int>(days - DaysSinceEpoch(c.year, 1, 1));
  return c;
}

std::string FormatTimestamp(const Value& timestamp) {
  const Calendar c = CalendarOf(timestamp.integer + timestamp.zone * 60);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%04lld-%02d-%02dT%02d:%02d:%02d", static_cast<long long>(c.year), c.month, c.day, c.hour, c.minute,
                c.second);
  std::string text = buffer;
  if (timestamp.size != 0) {
    std::snprintf(buffer, sizeof buffer, ".%09u", timestamp.size);
    text += buffer;
    while (text.back() == '0') text.pop_back();
  }
  if (timestamp.zone == 0) return text + "Z";
  const int minutes = timestamp.zone < 0 ? -timestamp.zone : timestamp.zone;
  std::snprintf(buffer, sizeof buffer, "%c%02d:%02d", timestamp.zone < 0 ? '-' : '+', minutes / 60, minutes % 60);
  return text + buffer;
}

namespace {

// A compiled time zone (RFC 8536, version 2 or later).
class ZoneFile {
 public:
  explicit ZoneFile(std::string bytes) : bytes_(std::move(bytes)) {}

  std::optional<int64_t> OffsetAt(int64_t unix_seconds) const {
    Header first, second;
    if (!ReadHeader(0, &first)) return std::nullopt;
    const size_t second_at =
        kHeader + first.times * 5 + first.kinds * 6 + first.letters + first.leaps * 8 + first.standard + first.universal;
    if (!ReadHeader(second_at, &second) || second.kinds == 0) return std::nullopt;
    const size_t times = second_at + kHeader;
    const size_t indices = times + second.times * 8;
    const size_t kinds = indices + second.times;
    const size_t end = kinds + second.kinds * 6 + second.letters + second.leaps * 12 + second.standard + second.universal;
    if (end > bytes_.size()) return std::nullopt;

    size_t before = 0;  // how many changes are not after the moment
    while (before < second.times && static_cast<int64_t>(Number(times + before * 8, 8)) <= unix_seconds) ++before;
    if (before == second.times) {
      if (const auto rule = OffsetByRule(std::string_view(bytes_).substr(end), unix_seconds)) return rule;
    }
    size_t kind = before == 0 ? 0 : static_cast<unsigned char>(bytes_[indices + before - 1]);
    if (before == 0) {
      // Before the first change, the first kind without daylight saving applies.
      while (kind + 1 < second.kinds && bytes_[kinds + kind * 6 + 4] != 0) ++kind;
    }
    if (kind >= second.kinds) return std::nullopt;
    return static_cast<int32_t>(Number(kinds + kind * 6, 4));
  }

 private:
  static constexpr size_t kHeader = 44;
  struct Header {
    size_t universal = 0, standard = 0, leaps = 0, times = 0, kinds = 0, letters = 0;
  };

  uint64_t Number(size_t at, size_t bytes) const {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(bytes_[at + i]);
    return value;
  }

  bool ReadHeader(size_t at, Header* header) const {
    if (at + kHeader > bytes_.size() || bytes_.compare(at, 4, "TZif") != 0) return false;
    *header = {Number(at + 20, 4), Number(at + 24, 4), Number(at + 28, 4), Number(at + 32, 4), Number(at + 36, 4), Number(at + 40, 4)};
    return true;
  }

  // The last line is a rule for later years: "CET-1CEST,M3.5.0,M10.5.0/3".
  static std::optional<int64_t> OffsetByRule(std::string_view footer, int64_t unix_seconds) {
    if (!Take(&footer, '\n')) return std::nullopt;
    std::string_view rule = footer.substr(0, footer.find('\n'));
    if (rule.empty()) return std::nullopt;
    int64_t standard = 0;
    if (!TakeName(&rule) || !TakeClock(&rule, &standard)) return std::nullopt;
    standard = -standard;
    if (rule.empty()) return standard;
    int64_t daylight = standard + 3600;
    if (!TakeName(&rule)) return std::nullopt;
    if (!rule.empty() && rule[0] != ',') {
      if (!TakeClock(&rule, &daylight)) return std::nullopt;
      daylight = -daylight;
    }
    const int64_t year = CalendarOf(unix_seconds + standard).year;
    int64_t begin = 0, end = 0;
    if (!TakeChange(&rule, year, &begin) || !TakeChange(&rule, year, &end)) return std::nullopt;
    begin -= standard;
    end -= daylight;
    const bool is_daylight = begin < end ? unix_seconds >= begin && unix_seconds < end : unix_seconds >= begin || unix_seconds < end;
    return is_daylight ? daylight : standard;
  }

  static bool TakeName(std::string_view* rule) {
    size_t length = 0;
    if (!rule->empty() && (*rule)[0] == '<') {
      length = rule->find('>');
      if (length == std::string_view::npos) return false;
      ++length;
    } else {
      while (length < rule->size() && ((*rule)[length] | 0x20) >= 'a' && ((*rule)[length] | 0x20) <= 'z') ++length;
    }
    rule->remove_prefix(length);
    return length > 0;
  }

  static bool TakeInt(std::string_view* rule, int64_t* value) {
    size_t length = 0;
    while (length < rule->size() && IsDigit((*rule)[length])) ++length;
    const auto number = length <= 4 ? ParseUint(rule->substr(0, length)) : std::nullopt;
    if (!number) return false;
    *value = static_cast<int64_t>(*number);
    rule->remove_prefix(length);
    return true;
  }

  // Reads [+-]hh[:mm[:ss]] as seconds.
  static bool TakeClock(std::string_view* rule, int64_t* seconds) {
    const bool negative = Take(rule, '-');
    if (!negative) Take(rule, '+');
    int64_t part = 0;
    if (!TakeInt(rule, &part)) return false;
    *seconds = part * 3600;
    for (const int64_t unit : {60, 1}) {
      if (!Take(rule, ':')) break;
      if (!TakeInt(rule, &part)) return false;
      *seconds += part * unit;
    }
    if (negative) *seconds = -*seconds;
    return true;
  }

  // Reads ",Mm.w.d[/time]", ",Jn[/time]" or ",n[/time]". Sets `seconds` to the local time of that moment in `year`.
  static bool TakeChange(std::string_view* rule, int64_t year, int64_t* seconds) {
    if (!Take(rule, ',')) return false;
    int64_t days = DaysSinceEpoch(year, 1, 1);
    if (Take(rule, 'M')) {
      int64_t month = 0, week = 0, weekday = 0;
      if (!TakeInt(rule, &month) || !Take(rule, '.') || !TakeInt(rule, &week) || !Take(rule, '.') || !TakeInt(rule, &weekday)) return false;
      if (month < 1 || month > 12 || week < 1 || week > 5 || weekday > 6) return false;
      const int64_t first = DaysSinceEpoch(year, static_cast<int>(month), 1);
      const int64_t first_weekday = ((first + 4) % 7 + 7) % 7;
      int64_t day = (weekday - first_weekday + 7) % 7 + (week - 1) * 7;
      if (day >= DaysIn(year, static_cast<int>(month))) day -= 7;
      days = first + day;
    } else if (Take(rule, 'J')) {
      int64_t day = 0;
      if (!TakeInt(rule, &day)) return false;
      days += day - 1 + (IsLeap(year) && day >= 60 ? 1 : 0);
    } else {
      int64_t day = 0;
      if (!TakeInt(rule, &day)) return false;
      days += day;
    }
    int64_t clock = 2 * 3600;
    if (Take(rule, '/') && !TakeClock(rule, &clock)) return false;
    *seconds = days * 86400 + clock;
    return true;
  }

  const std::string bytes_;
};

// Returns nullopt if the path is not a file: zones such as "Europe" are directories.
std::optional<std::string> ReadZone(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string bytes(size_t{64} << 10, '\0');  // the largest zone has 4 KiB
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (bytes.empty()) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<int64_t> ZoneOffset(std::string_view zone, int64_t unix_seconds) {
  if (const size_t colon = zone.find(':'); colon != std::string_view::npos) {
    const auto hours = ParseInt(zone.substr(0, colon));
    const auto minutes = ParseInt(zone.substr(colon + 1));
    constexpr int64_t kFar = 1'000'000;
    if (!hours || !minutes || *hours > kFar || *hours < -kFar || *minutes > kFar || *minutes < -kFar) return std::nullopt;
    return (*hours * 60 + (zone[0] == '-' ? -*minutes : *minutes)) * 60;
  }
  if (zone.empty() || zone == "UTC") return 0;
  // In Kubernetes "Local" is the zone of the scheduler's machine; its container runs in UTC.
  if (zone == "Local") return 0;
  const auto allowed = [](char c) {
    return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '/' || c == '_' || c == '+' || c == '-';
  };
  if (zone[0] == '/' || zone.size() > 255 || !std::all_of(zone.begin(), zone.end(), allowed)) return std::nullopt;
  const auto bytes = ReadZone("/usr/share/zoneinfo/" + std::string(zone));
  if (!bytes) return std::nullopt;
  return ZoneFile(*bytes).OffsetAt(unix_seconds);
}

std::optional<Value> AddToTimestamp(const Value& timestamp, int64_t nanoseconds) {
  int64_t seconds = timestamp.integer + nanoseconds / kSecond;
  int64_t rest = static_cast<int64_t>(timestamp.size) + nanoseconds % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  } else if (rest >= kSecond) {
    rest -= kSecond;
    ++seconds;
  }
  if (seconds < kMinUnixSeconds || seconds > kMaxUnixSeconds) return std::nullopt;
  return Value::Timestamp(seconds, static_cast<uint32_t>(rest), timestamp.zone);
}

std::optional<int64_t> TimestampDifference(const Value& a, const Value& b) {
  const int64_t seconds = a.integer - b.integer;  // cannot overflow in years 1 to 9999
  const int64_t rest = static_cast<int64_t>(a.size) - static_cast<int64_t>(b.size);
  int64_t total = 0;
  if (__builtin_mul_overflow(seconds, kSecond, &total) || __builtin_add_overflow(total, rest, &total)) return std::nullopt;
  return total;
}

}  // namespace allot::cel
