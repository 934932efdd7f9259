#include "cel/library/named_format.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "cel/library/time.h"
#include "cel/library/url.h"

namespace allot::cel {
namespace {

using Problems = std::vector<std::string>;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLetter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool IsAlnum(char c) { return IsDigit(c) || IsLetter(c); }
bool IsLowerAlnum(char c) { return IsDigit(c) || IsLower(c); }
bool IsHex(char c) { return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

bool IsLabel(std::string_view text) {
  return !text.empty() && IsLowerAlnum(text.front()) && IsLowerAlnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool IsSubdomain(std::string_view text) {
  const auto parts = Split(text, '.');
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), IsLabel);
}

std::string TooLong(size_t max) { return StrCat("must be no more than ", max, " characters"); }

Problems CheckSubdomain(std::string_view text) {
  Problems problems;
  if (text.size() > 253) problems.push_back(TooLong(253));
  if (!IsSubdomain(text)) {
    problems.push_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return problems;
}

Problems CheckLabel(std::string_view text) {
  Problems problems;
  if (text.size() > 63) problems.push_back(TooLong(63));
  if (!IsLabel(text)) {
    problems.push_back(IsSubdomain(text)
                           ? "must not contain dots"
                           : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
                             "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
                             "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

Problems CheckDns1035(std::string_view text) {
  Problems problems;
  if (text.size() > 63) problems.push_back(TooLong(63));
  if (!IsLabel(text) || !IsLower(text.front())) {
    problems.push_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an "
        "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

bool IsKeyName(std::string_view text) {
  return !text.empty() && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

constexpr std::string_view kKeyRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
    "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

Problems CheckQualifiedName(std::string_view text) {
  Problems problems;
  const auto parts = Split(text, '/');
  if (parts.size() > 2) {
    return {StrCat("a valid label key ", kKeyRule, " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")};
  }
  const std::string_view name = parts.back();
  if (parts.size() == 2) {
    if (parts[0].empty()) problems.emplace_back("prefix part must be non-empty");
    if (!parts[0].empty()) {
      for (const std::string& problem : CheckSubdomain(parts[0])) problems.push_back("prefix part " + problem);
    }
  }
  if (name.empty()) problems.emplace_back("name part must be non-empty");
  if (name.size() > 63) problems.push_back("name part " + TooLong(63));
  if (!IsKeyName(name)) problems.push_back(StrCat("name part ", kKeyRule));
  return problems;
}

Problems CheckLabelValue(std::string_view text) {
  Problems problems;
  if (text.size() > 63) problems.push_back(TooLong(63));
  if (!text.empty() && !IsKeyName(text)) {
    problems.push_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  }
  return problems;
}

// A prefix may end in '-', because more text follows it.
std::string WithoutLastDash(std::string_view text) {
  if (text.size() > 1 && text.back() == '-') return std::string(text.substr(0, text.size() - 2)) + "a";
  return std::string(text);
}

Problems Unless(bool valid, std::string_view problem) { return valid ? Problems{} : Problems{std::string(problem)}; }

bool IsUuid(std::string_view text) {
  static constexpr std::array<size_t, 5> kGroups = {8, 4, 4, 4, 12};
  for (size_t group = 0; group < kGroups.size(); ++group) {
    if (group > 0 && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < kGroups[group] || !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(kGroups[group]), IsHex))
      return false;
    text.remove_prefix(kGroups[group]);
  }
  return text.empty();
}

bool IsBase64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  return std::all_of(text.begin(), text.end(), [](char c) { return IsAlnum(c) || c == '+' || c == '/'; });
}

bool IsDate(std::string_view text) {
  bool out_of_range = false;
  if (text.size() != 10) return false;
  return ParseTimestamp(StrCat(text, "T00:00:00Z"), &out_of_range).has_value() || out_of_range;
}

bool IsDateTime(std::string_view text) {
  if (text.size() < 4) return false;
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  const auto parts = Split(low, 't');
  if (parts.size() < 2 || !IsDate(parts[0])) return false;
  std::string_view clock = parts[1];
  const auto two = [&](char low_max, char high_max) {
    if (clock.size() < 2 || !IsDigit(clock[0]) || !IsDigit(clock[1])) return false;
    const bool fits = clock[0] < low_max || (clock[0] == low_max && clock[1] <= high_max);
    clock.remove_prefix(2);
    return fits;
  };
  const auto take = [&](char c) {
    if (!clock.starts_with(c)) return false;
    clock.remove_prefix(1);
    return true;
  };
  if (!two('2', '3') || !take(':') || !two('5', '9') || !take(':') || !two('5', '9')) return false;
  // A fraction is any one character followed by digits.
  if (clock.size() >= 2 && IsDigit(clock[1]) && clock.find_first_not_of("0123456789", 1) != std::string_view::npos) {
    const size_t end = clock.find_first_not_of("0123456789", 1);
    const std::string_view behind = clock.substr(end);
    if (behind == "z" || behind[0] == '+' || behind[0] == '-') clock = behind;
  }
  if (clock == "z") return true;
  if (!take('+') && !take('-')) return false;
  return clock.size() == 5 && IsDigit(clock[0]) && IsDigit(clock[1]) && clock[2] == ':' && IsDigit(clock[3]) && IsDigit(clock[4]);
}

constexpr uint32_t kUuidPattern = 70, kDateTimePattern = 71, kBase64Pattern = 84, kUrlPattern = 1103;

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", "DNS1123Label", 30, CheckLabel},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, CheckSubdomain},
    {"dns1035Label", "DNS1035Label", 30, CheckDns1035},
    {"qualifiedName", "QualifiedName", 60, CheckQualifiedName},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, [](std::string_view text) { return CheckLabel(WithoutLastDash(text)); }},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, [](std::string_view text) { return CheckSubdomain(WithoutLastDash(text)); }},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, [](std::string_view text) { return CheckDns1035(WithoutLastDash(text)); }},
    {"labelValue", "LabelValue", 40, CheckLabelValue},
    {"uri", "URI", kUrlPattern, [](std::string_view text) { return Unless(IsRequestUri(text), "not a URI"); }},
    {"uuid", "uuid", kUuidPattern, [](std::string_view text) { return Unless(IsUuid(text), "does not match the UUID format"); }},
    {"byte", "byte", kBase64Pattern, [](std::string_view text) { return Unless(IsBase64(text), "invalid base64"); }},
    {"date", "date", kDateTimePattern, [](std::string_view text) { return Unless(IsDate(text), "invalid date"); }},
    {"datetime", "datetime", kDateTimePattern, [](std::string_view text) { return Unless(IsDateTime(text), "invalid datetime"); }},
};

}  // namespace

std::span<const NamedFormat> NamedFormats() { return kFormats; }

const NamedFormat* FindNamedFormat(std::string_view name) {
  for (const NamedFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace allot::cel
