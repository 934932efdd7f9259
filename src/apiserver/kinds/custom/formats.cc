#include "apiserver/kinds/custom/formats.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/check.h"
#include "base/strings.h"
#include "cel/eval/object_value.h"
#include "cel/library/named_format.h"
#include "cel/library/net.h"
#include "cel/library/regex.h"

namespace allot::apiserver {
namespace {

using Test = bool (*)(std::string_view text);

std::unique_ptr<const cel::Regex> Pattern(std::string_view pattern) {
  auto regex = cel::Regex::Compile(pattern);
  CHECK(regex.ok());
  return *std::move(regex);
}

// Whether the text matches. Each pattern is compiled on first use.
#define MATCHES(pattern)                                                        \
  [](std::string_view candidate) {                                              \
    static const std::unique_ptr<const cel::Regex> kPattern = Pattern(pattern); \
    return kPattern->Matches(candidate);                                        \
  }

bool IsNamed(std::string_view name, std::string_view text) { return cel::FindNamedFormat(name)->validate(text).empty(); }

// "010.1.2.3" is valid: Go before 1.17 parsed it as 10.1.2.3.
std::string WithoutLeadingZeros(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || text[i - 1] == '.' || (text[i - 1] == '0' && !plain.empty() && plain.back() == '.') ||
                        (text[i - 1] == '0' && plain.empty());
    const bool more = i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (text[i] == '0' && starts && more) continue;
    plain += text[i];
  }
  return plain;
}

bool IsIpv4(std::string_view text) {
  if (text.find('.') == std::string_view::npos) return false;
  return cel::ParseIp(text.find(':') == std::string_view::npos ? WithoutLeadingZeros(text) : std::string(text)).has_value();
}
bool IsIpv6(std::string_view text) { return text.find(':') != std::string_view::npos && cel::ParseIp(text).has_value(); }
bool IsCidr(std::string_view text) {
  const bool v4 = text.find(':') == std::string_view::npos;
  return cel::ParseCidr(v4 ? WithoutLeadingZeros(text) : std::string(text)).has_value();
}

bool IsHostname(std::string_view text) {
  static constexpr Test kMatches = MATCHES(
      R"(^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$)");
  if (text.size() > 255 || !kMatches(text)) return false;
  const auto labels = Split(text, '.');
  return std::all_of(labels.begin(), labels.end(), [](std::string_view label) { return label.size() <= 63; });
}

bool IsShortName(std::string_view text) {
  static constexpr Test kMatches = MATCHES("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
  return text.size() <= 63 && kMatches(text);
}
bool IsLongName(std::string_view text) {
  static constexpr Test kMatches = MATCHES(R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)");
  return text.size() <= 253 && kMatches(text);
}

// Returns the digits without spaces and dashes; empty if there is anything else. ISBNs may end in X.
std::string Digits(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c == ' ' || c == '-') continue;
    if (c != 'X' && (c < '0' || c > '9')) return {};
    digits += c;
  }
  return digits.substr(0, digits.size() - 1).find('X') == std::string::npos ? digits : std::string();
}

bool IsIsbn10(std::string_view text) {
  const std::string digits = Digits(text);
  if (digits.size() != 10) return false;
  int sum = 0;
  for (int i = 0; i < 9; ++i) sum += (i + 1) * (digits[static_cast<size_t>(i)] - '0');
  sum += 10 * (digits[9] == 'X' ? 10 : digits[9] - '0');
  return sum % 11 == 0;
}
bool IsIsbn13(std::string_view text) {
  const std::string digits = Digits(text);
  if (digits.size() != 13 || digits.back() == 'X') return false;
  int sum = 0;
  for (size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return digits[12] - '0' == (10 - sum % 10) % 10;
}

bool IsCreditCard(std::string_view text) {
  static constexpr Test kMatches = MATCHES(
      R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)");
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  if (!kMatches(digits)) return false;
  int sum = 0;
  bool twice = false;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, twice = !twice) {
    const int value = (*digit - '0') * (twice ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 == 0;
}

const std::unordered_map<std::string_view, Test>& Tests() {
  static const std::unordered_map<std::string_view, Test> tests = {
      {"bsonobjectid", MATCHES("^[0-9a-fA-F]{24}$")},
      {"uri", [](std::string_view text) { return IsNamed("uri", text); }},
      {"email", MATCHES(R"(^([^<>@]*<)?[^\s<>@,;]+@[^\s<>@,;]+>?$)")},
      {"hostname", IsHostname},
      {"ipv4", IsIpv4},
      {"ipv6", IsIpv6},
      {"cidr", IsCidr},
      {"mac", MATCHES("^([0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}([:-][0-9a-fA-F]{2}){0,2}|[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){19}|"
                      R"([0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2,3}|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){9})$)")},
      {"uuid", [](std::string_view text) { return IsNamed("uuid", text); }},
      {"uuid3", MATCHES("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$")},
      {"uuid4", MATCHES("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$")},
      {"uuid5", MATCHES("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$")},
      {"isbn", [](std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }},
      {"isbn10", IsIsbn10},
      {"isbn13", IsIsbn13},
      {"creditcard", IsCreditCard},
      {"ssn", MATCHES(R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)")},
      {"hexcolor", MATCHES("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$")},
      {"rgbcolor", MATCHES(R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,)"
                           R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)")},
      {"byte", [](std::string_view text) { return IsNamed("byte", text); }},
      {"password", [](std::string_view) { return true; }},
      {"date", [](std::string_view text) { return IsNamed("date", text); }},
      {"duration", [](std::string_view text) { return cel::ParseLooseDuration(text).has_value(); }},
      {"datetime", [](std::string_view text) { return IsNamed("datetime", text); }},
      {"k8sshortname", IsShortName},
      {"k8slongname", IsLongName},
  };
  return tests;
}

Test Find(std::string_view format) {
  std::string plain(format);
  std::erase(plain, '-');
  const auto found = Tests().find(plain);
  return found == Tests().end() ? nullptr : found->second;
}

}  // namespace

bool IsTextFormat(std::string_view format) { return Find(format) != nullptr; }

bool HasFormat(std::string_view format, std::string_view text) {
  const Test test = Find(format);
  CHECK(test != nullptr);
  return test(text);
}

}  // namespace allot::apiserver
