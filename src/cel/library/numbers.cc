#include "cel/library/numbers.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/strings.h"

namespace allot::cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

// Matches digits[.digits][exponent], or 0x with a mandatory binary exponent.
bool IsDoubleText(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
  if (hex) text.remove_prefix(2);
  size_t digits = 0;
  bool point = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    if (hex ? IsHex(text[i]) : IsDigit(text[i])) {
      ++digits;
    } else if (text[i] == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (digits == 0) return false;
  if (i == text.size()) return !hex;
  if ((text[i] | 0x20) != (hex ? 'p' : 'e')) return false;
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  if (i == text.size()) return false;
  for (; i < text.size(); ++i) {
    if (!IsDigit(text[i])) return false;
  }
  return true;
}

// Removes underscores. Returns nullopt unless each is between digits or after 0x.
std::optional<std::string> WithoutUnderscores(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
      continue;
    }
    const auto is_digit = [&](size_t at) { return at < text.size() && (hex ? IsHex(text[at]) : IsDigit(text[at])); };
    if (i == 0 || !is_digit(i + 1) || !(is_digit(i - 1) || (hex && i == 2))) return std::nullopt;
  }
  return plain;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view low) {
  if (text.size() != low.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 0x20) != low[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<uint64_t> ParseUint(std::string_view text) {
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseInt(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  const auto magnitude = ParseUint(text);
  if (!magnitude || *magnitude > static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<int64_t>(negative ? uint64_t{0} - *magnitude : *magnitude);
}

std::optional<double> ParseDouble(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::string_view unsigned_text = !text.empty() && (negative || text[0] == '+') ? text.substr(1) : text;
  if (EqualsIgnoringCase(unsigned_text, "inf") || EqualsIgnoringCase(unsigned_text, "infinity")) return negative ? -HUGE_VAL : HUGE_VAL;
  if (EqualsIgnoringCase(text, "nan")) return std::nan("");
  const auto digits = WithoutUnderscores(unsigned_text);
  if (!digits || !IsDoubleText(*digits)) return std::nullopt;
  const double value = std::strtod((negative ? "-" + *digits : *digits).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

std::optional<bool> ParseBool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "True", "TRUE"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "False", "FALSE"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::string FormatDouble(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d > 0 ? "+Inf" : "-Inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
  const std::string_view scientific(buffer, static_cast<size_t>(end - buffer));
  const size_t e = scientific.find('e');
  const auto exponent = ParseInt(scientific.substr(e + 1)).value_or(0);
  if (exponent < -4 || exponent >= 6) return std::string(scientific);
  return FormatFixed(d);
}

std::string FormatFixed(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d > 0 ? "+Inf" : "-Inf";
  char buffer[512];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::fixed).ptr;
  return std::string(buffer, end);
}

}  // namespace allot::cel
