#include "apiserver/schema/wire_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/strings.h"
#include "base/utf8.h"
#include "cel/library/time.h"

namespace allot::apiserver {

namespace {

// Writes `value` units of 10^-digits without trailing zeros in the fraction.
std::string Decimal(uint64_t value, int digits) {
  std::string fraction;
  for (; digits > 0; --digits, value /= 10) {
    const char digit = static_cast<char>('0' + value % 10);
    if (digit != '0' || !fraction.empty()) fraction.insert(fraction.begin(), digit);
  }
  return fraction.empty() ? StrCat(value) : StrCat(value, ".", fraction);
}

}  // namespace

std::optional<std::string> TimeText(Timestamp time, bool micro) {
  if (time.seconds < cel::kMinUnixSeconds || time.seconds > cel::kMaxUnixSeconds) return std::nullopt;
  const cel::Calendar c = cel::CalendarOf(time.seconds);
  char text[64];
  const int size = std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", static_cast<int>(c.year), c.month, c.day, c.hour,
                                 c.minute, c.second);
  std::string result(text, static_cast<size_t>(size));
  if (micro) {
    if (time.nanoseconds < 0 || time.nanoseconds > 999'999'999) return std::nullopt;
    std::snprintf(text, sizeof text, ".%06d", static_cast<int>(time.nanoseconds / 1000));
    result += text;
  }
  return result += 'Z';
}

std::optional<Timestamp> TimeOf(std::string_view text) {
  bool out_of_range = false;
  const auto time = cel::ParseTimestamp(text, &out_of_range);
  if (!time || out_of_range) return std::nullopt;
  return Timestamp{time->integer, static_cast<int32_t>(time->size)};
}

std::string DurationText(int64_t nanoseconds) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const std::string_view sign = nanoseconds < 0 ? "-" : "";
  const uint64_t all = nanoseconds < 0 ? -static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  if (all == 0) return "0s";
  if (all < 1000) return StrCat(sign, all, "ns");
  if (all < 1'000'000) return StrCat(sign, Decimal(all, 3), "µs");
  if (all < kSecond) return StrCat(sign, Decimal(all, 6), "ms");
  const uint64_t minutes = all / (60 * kSecond);
  const std::string seconds = StrCat(Decimal(all % (60 * kSecond), 9), "s");
  if (minutes == 0) return StrCat(sign, seconds);
  if (minutes < 60) return StrCat(sign, minutes, "m", seconds);
  return StrCat(sign, minutes / 60, "h", minutes % 60, "m", seconds);
}

std::optional<int64_t> DurationOf(std::string_view text) { return cel::ParseDuration(text); }

std::optional<std::string> DoubleText(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, plain ? std::chars_format::fixed : std::chars_format::scientific).ptr;
  std::string result(text, end);
  // Go writes 1e-7, C++ writes 1e-07.
  if (const size_t e = result.find("e-0"); e != std::string::npos) result.erase(e + 2, 1);
  return result;
}

std::string_view MendUtf8(std::string_view text, std::string& buffer) {
  size_t good = 0;
  for (size_t length; good < text.size() && (length = Utf8Length(text.substr(good))) != 0;) good += length;
  if (good == text.size()) return text;
  buffer.assign(text, 0, good);
  for (std::string_view rest = text.substr(good); !rest.empty();) {
    const size_t length = Utf8Length(rest);
    if (length == 0) {
      AppendCharacter(buffer, 0xFFFD);
    } else {
      buffer += rest.substr(0, length);
    }
    rest.remove_prefix(length == 0 ? 1 : length);
  }
  return buffer;
}

}  // namespace allot::apiserver
