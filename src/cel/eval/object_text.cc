// Parses texts with a schema format the way strfmt of Kubernetes' OpenAPI library does.

#include <array>
#include <charconv>

#include "cel/eval/object_value.h"
#include "cel/library/time.h"

namespace allot::cel {
namespace {

struct Unit {
  std::string_view name;
  bool prefix;  // "hours" matches "hour"
  int64_t nanoseconds;
};

constexpr int64_t kSecond = 1'000'000'000;
constexpr std::array<Unit, 19> kUnits = {{
    {"ns", false, 1},
    {"nano", true, 1},
    {"us", false, 1'000},
    {"µs", false, 1'000},
    {"micro", true, 1'000},
    {"ms", false, 1'000'000},
    {"milli", true, 1'000'000},
    {"s", false, kSecond},
    {"sec", true, kSecond},
    {"m", false, 60 * kSecond},
    {"min", true, 60 * kSecond},
    {"h", false, 3600 * kSecond},
    {"hr", false, 3600 * kSecond},
    {"hour", true, 3600 * kSecond},
    {"d", false, 86400 * kSecond},
    {"day", true, 86400 * kSecond},
    {"w", false, 7 * 86400 * kSecond},
    {"wk", false, 7 * 86400 * kSecond},
    {"week", true, 7 * 86400 * kSecond},
}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\xC2' || c == '\xB5'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return lower;
}

bool HasUnit(std::string_view word, const Unit& unit) { return word == unit.name || (unit.prefix && word.starts_with(unit.name)); }

}  // namespace

std::optional<int64_t> ParseLooseDuration(std::string_view text) {
  if (const auto strict = ParseDuration(text)) return strict;
  int64_t sum = 0;
  bool found = false;
  for (size_t at = 0; at < text.size();) {
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), count);
    at = static_cast<size_t>(end - text.data());
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n')) ++at;
    const size_t start = at;
    while (at < text.size() && IsLetter(text[at])) ++at;
    if (at == start) continue;
    if (error != std::errc()) return std::nullopt;
    const std::string word = Lower(text.substr(start, at - start));
    for (const Unit& unit : kUnits) {
      if (!HasUnit(word, unit)) continue;
      int64_t part = 0;
      if (__builtin_mul_overflow(count, unit.nanoseconds, &part) || __builtin_add_overflow(sum, part, &sum)) return std::nullopt;
      found = true;
    }
  }
  return found ? std::optional(sum) : std::nullopt;
}

std::optional<Value> ParseDate(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  bool out_of_range = false;
  return ParseTimestamp(std::string(text) + "T00:00:00Z", &out_of_range);
}

std::optional<Value> ParseDateTime(std::string_view text) {
  if (text.empty()) return Value::Timestamp(0, 0, 0);
  bool out_of_range = false;
  if (auto time = ParseTimestamp(text, &out_of_range)) return time;
  return text.size() == 19 ? ParseTimestamp(std::string(text) + "Z", &out_of_range) : std::nullopt;
}

std::optional<std::string> DecodeUrlBase64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  size_t padding = 0;
  size_t digits = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    ++digits;
    if (c == '=') {
      ++padding;
      continue;
    }
    static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xFF);
  }
  if (digits % 4 != 0 || padding > 2 || (padding > 0 && (digits - padding) * 6 / 8 != bytes.size())) return std::nullopt;
  return bytes;
}

}  // namespace allot::cel
