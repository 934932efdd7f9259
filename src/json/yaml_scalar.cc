#include "json/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/strings.h"

namespace allot::json {

namespace {

struct Word {
  std::string_view text;
  Scalar::Kind kind;
  std::string_view meaning;
};
constexpr Word kWords[] = {
    {"", Scalar::Kind::kNull, "null"},       {"~", Scalar::Kind::kNull, "null"},      {"null", Scalar::Kind::kNull, "null"},
    {"Null", Scalar::Kind::kNull, "null"},   {"NULL", Scalar::Kind::kNull, "null"},   {"y", Scalar::Kind::kBool, "true"},
    {"Y", Scalar::Kind::kBool, "true"},      {"yes", Scalar::Kind::kBool, "true"},    {"Yes", Scalar::Kind::kBool, "true"},
    {"YES", Scalar::Kind::kBool, "true"},    {"true", Scalar::Kind::kBool, "true"},   {"True", Scalar::Kind::kBool, "true"},
    {"TRUE", Scalar::Kind::kBool, "true"},   {"on", Scalar::Kind::kBool, "true"},     {"On", Scalar::Kind::kBool, "true"},
    {"ON", Scalar::Kind::kBool, "true"},     {"n", Scalar::Kind::kBool, "false"},     {"N", Scalar::Kind::kBool, "false"},
    {"no", Scalar::Kind::kBool, "false"},    {"No", Scalar::Kind::kBool, "false"},    {"NO", Scalar::Kind::kBool, "false"},
    {"false", Scalar::Kind::kBool, "false"}, {"False", Scalar::Kind::kBool, "false"}, {"FALSE", Scalar::Kind::kBool, "false"},
    {"off", Scalar::Kind::kBool, "false"},   {"Off", Scalar::Kind::kBool, "false"},   {"OFF", Scalar::Kind::kBool, "false"},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The shortest decimal digits of a double: 0.d1d2d3... x 10^point.
struct Digits {
  bool negative;
  std::string digits;
  int point;
};

template <typename Float>
Digits ShortestDigits(Float number) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific).ptr;
  std::string_view text(buffer.data(), end - buffer.data());
  Digits result{text[0] == '-', "", 0};
  if (result.negative) text.remove_prefix(1);
  const size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') result.digits += c;
  }
  int exponent = 0;
  const std::string_view written = text.substr(e + 1);
  std::from_chars(written.data() + (written[0] == '+' ? 1 : 0), written.data() + written.size(), exponent);
  result.point = number == 0 ? 1 : exponent + 1;
  return result;
}

std::string PrintFixed(const Digits& d) {
  std::string text = d.negative ? "-" : "";
  const auto size = static_cast<int>(d.digits.size());
  if (d.point <= 0) return text.append("0.").append(static_cast<size_t>(-d.point), '0').append(d.digits);
  if (d.point >= size) return text.append(d.digits).append(static_cast<size_t>(d.point - size), '0');
  return text.append(d.digits, 0, static_cast<size_t>(d.point)).append(".").append(d.digits, static_cast<size_t>(d.point));
}

std::string PrintScientific(const Digits& d, int exponent_digits) {
  std::string text = d.negative ? "-" : "";
  text += d.digits[0];
  if (d.digits.size() > 1) text.append(".").append(d.digits, 1);
  const int exponent = d.point - 1;
  const std::string number = StrCat(std::abs(exponent));
  text += exponent < 0 ? "e-" : "e+";
  if (static_cast<int>(number.size()) < exponent_digits) text += '0';
  return text + number;
}

// Prints a float64 as Go's encoding/json does.
std::string PrintAsJson(double number) {
  const Digits digits = ShortestDigits(number);
  const double size = std::fabs(number);
  if (size != 0 && size < 1e-6) return PrintScientific(digits, 1);
  if (size >= 1e21) return PrintScientific(digits, 2);
  return PrintFixed(digits);
}

// Parses a whole number as Go's ParseInt and ParseUint do with base 0. REQUIRES: no underscores.
std::optional<Scalar> ResolveInt(std::string_view text) {
  const bool negative = text[0] == '-';
  const bool sign = negative || text[0] == '+';
  std::string_view digits = text.substr(sign ? 1 : 0);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    digits.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  const uint64_t limit = uint64_t{1} << 63;
  if (negative ? magnitude > limit : sign && magnitude >= limit) return std::nullopt;
  return Scalar{Scalar::Kind::kInt, StrCat(negative && magnitude != 0 ? "-" : "", magnitude)};
}

bool LooksLikeFloat(std::string_view text) {
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  const auto take_digits = [&text] {
    const size_t count = std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin();
    text.remove_prefix(count);
    return count > 0;
  };
  const bool whole = take_digits();
  const bool point = text.starts_with('.');
  if (point) text.remove_prefix(1);
  const bool fraction = point && take_digits();
  if (!whole && !fraction) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!take_digits()) return false;
  }
  return text.empty();
}

std::optional<Scalar> ResolveFloat(std::string_view text) {
  if (!LooksLikeFloat(text)) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    // Go accepts a number that rounds to zero, and keeps one that rounds to infinity as text.
    number = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isinf(number)) return std::nullopt;
  }
  return Scalar{Scalar::Kind::kFloat, PrintAsJson(number)};
}

// Go allows underscores between the digits of a float that starts with a point.
bool UnderscoresSeparateDigits(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && (i == 0 || i + 1 == text.size() || !IsDigit(text[i - 1]) || !IsDigit(text[i + 1]))) return false;
  }
  return true;
}

std::optional<Scalar> ResolveNotFinite(std::string_view text) {
  for (const std::string_view word : {".inf", ".Inf", ".INF"}) {
    if (text == word || (text.starts_with('+') && text.substr(1) == word)) return Scalar{Scalar::Kind::kNotFinite, ".inf"};
    if (text.starts_with('-') && text.substr(1) == word) return Scalar{Scalar::Kind::kNotFinite, "-.inf"};
  }
  for (const std::string_view word : {".nan", ".NaN", ".NAN"}) {
    if (text == word) return Scalar{Scalar::Kind::kNotFinite, ".nan"};
  }
  return std::nullopt;
}

}  // namespace

Scalar ResolveScalar(std::string_view text) {
  if (text.size() <= 5) {
    for (const Word& word : kWords) {
      if (word.text == text) return Scalar{word.kind, std::string(word.meaning)};
    }
    if (const auto scalar = ResolveNotFinite(text)) return *scalar;
  }
  const char first = text[0];
  if (IsDigit(first) || first == '-' || first == '+' || (first == '.' && UnderscoresSeparateDigits(text))) {
    std::string plain(text);
    std::erase(plain, '_');
    if (first != '.') {
      if (auto scalar = ResolveInt(plain)) return *std::move(scalar);
    }
    if (auto scalar = ResolveFloat(plain)) return *std::move(scalar);
  }
  return Scalar{Scalar::Kind::kString, std::string(text)};
}

std::optional<std::string> Scalar::Key() const {
  switch (kind) {
    case Kind::kNull: return std::nullopt;
    case Kind::kInt: {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc()) return std::nullopt;
      return text;
    }
    case Kind::kFloat: {
      const double number = std::strtod(text.c_str(), nullptr);
      const auto single = static_cast<float>(number);
      if (std::isinf(single)) return single < 0 ? "-.inf" : ".inf";
      const Digits digits = ShortestDigits(single);
      const int exponent = digits.point - 1;
      return exponent < -4 || exponent >= 6 ? PrintScientific(digits, 2) : PrintFixed(digits);
    }
    case Kind::kBool:
    case Kind::kNotFinite:
    case Kind::kString: return text;
  }
  return std::nullopt;
}

}  // namespace allot::json
