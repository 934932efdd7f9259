#include "apiserver/kinds/core_checks.h"

#include <algorithm>

#include "apiserver/json_names.h"
#include "cel/library/net.h"

namespace allot::apiserver {

namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) { return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z'); }

void CheckSelectorRequirement(const FieldPath& field, const json::Value& requirement, FieldErrors& errors) {
  const std::string_view op = TextOf(requirement["operator"]);
  const auto values = ItemsOf(requirement["values"]);
  const FieldPath at = field.Child("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) errors.Required(at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) errors.Forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else {
    errors.Invalid(field.Child("operator"), op, "not a valid selector operator");
  }
  CheckLabelKey(field.Child("key"), TextOf(requirement["key"]), errors);
  Each(at, requirement["values"], [&](const FieldPath& path, const json::Value& value) { CheckLabelValue(path, TextOf(value), errors); });
}

bool RequirementMatches(const json::Value& requirement, const MemberIndex& labels) {
  const std::string_view op = TextOf(requirement["operator"]);
  const json::Value& label = labels[TextOf(requirement["key"])];
  const auto values = ItemsOf(requirement["values"]);
  const bool listed = label.IsString() &&
                      std::any_of(values.begin(), values.end(), [&](const json::Value& one) { return TextOf(one) == label.AsString(); });
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  if (op == "Exists") return label.IsString();
  return op == "DoesNotExist" && !label.IsString();
}

}  // namespace

void CheckNonnegative(const FieldPath& field, const json::Value& value, FieldErrors& errors) {
  if (IntOf(value) < 0) errors.Invalid(field, IntOf(value), "must be greater than or equal to 0");
}

void CheckNonnegativeMembers(const FieldPath& field, const json::Value& object, std::initializer_list<std::string_view> names,
                             FieldErrors& errors) {
  for (const std::string_view name : names) CheckNonnegative(field.Child(name), object[name], errors);
}

void CheckRange(const FieldPath& field, int64_t value, int64_t min, int64_t max, FieldErrors& errors) {
  if (value < min || value > max) errors.Invalid(field, value, StrCat("must be between ", min, " and ", max, ", inclusive"));
}

void CheckSupported(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported,
                    FieldErrors& errors) {
  if (std::find(supported.begin(), supported.end(), value) == supported.end()) errors.NotSupported(field, value, supported);
}

void CheckPortNumber(const FieldPath& field, int64_t port, FieldErrors& errors) { CheckRange(field, port, 1, 65535, errors); }

void CheckPortNumberOrName(const FieldPath& field, const json::Value& port, FieldErrors& errors) {
  if (port.IsString()) {
    AddInvalid(field, port.AsString(), PortNameProblems(port.AsString()), errors);
  } else {
    CheckPortNumber(field, IntOf(port), errors);
  }
}

Problems PortNameProblems(std::string_view text) {
  Problems problems;
  if (text.size() > 15) problems.emplace_back("must be no more than 15 bytes");
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; })) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!std::any_of(text.begin(), text.end(), IsLower)) problems.emplace_back("must contain at least one letter (a-z)");
  if (text.find("--") != std::string_view::npos) problems.emplace_back("must not contain consecutive hyphens");
  if (text.starts_with('-') || text.ends_with('-')) problems.emplace_back("must not begin or end with a hyphen");
  return problems;
}

std::string WithoutTrailingDash(std::string_view prefix) {
  std::string name(prefix);
  if (name.size() > 1 && name.ends_with('-')) name.replace(name.size() - 2, 2, "a");
  return name;
}

Problems ConfigKeyProblems(std::string_view text) {
  Problems problems;
  if (text.size() > 253) problems.emplace_back("must be no more than 253 bytes");
  const auto inner = [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), inner)) {
    problems.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', "
        "regex "
        "used for validation is '[-._a-zA-Z0-9]+')");
  }
  if (text == "." || text == "..") {
    problems.push_back(StrCat("must not be '", text, "'"));
  } else if (text.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
  return problems;
}

Problems EnvironmentNameProblems(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '='; })) return {};
  return {"a valid environment variable name must consist only of printable ASCII characters other than '='"};
}

Problems RelaxedSubdomainProblems(std::string_view text) {
  Problems problems;
  if (text.size() > 253) problems.emplace_back("must be no more than 253 bytes");
  const auto outer = [](char c) { return IsLower(c) || IsDigit(c) || c == '_'; };
  const auto inner = [&](char c) { return outer(c) || c == '-'; };
  for (const std::string_view part : Split(text, '.')) {
    if (!part.empty() && outer(part.front()) && outer(part.back()) && std::all_of(part.begin(), part.end(), inner)) continue;
    problems.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-', '_' or '.', and must start and end with "
        "an "
        "alphanumeric character (e.g. 'example.com')");
    break;
  }
  return problems;
}

void CheckIp(const FieldPath& field, std::string_view text, FieldErrors& errors) {
  if (!cel::ParseIp(text)) errors.Invalid(field, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
}

void CheckOneOfEachFamily(const FieldPath& field, const json::Value& list, bool valid, std::span<const std::string_view> texts,
                          std::string_view what, FieldErrors& errors) {
  const auto is_v6 = [](std::string_view text) { return text.find(':') != std::string_view::npos; };
  const auto v6 = static_cast<size_t>(std::count_if(texts.begin(), texts.end(), is_v6));
  if (texts.size() < 2) return;
  if (!valid) errors.Add("InternalError", field, StrCat("Internal error: cannot tell the families of an invalid ", what));
  if (!valid || v6 > 1 || texts.size() - v6 > 1) {
    errors.Invalid(field, list, StrCat("may specify no more than one ", what, " for each IP family"));
  }
}

void CheckNoBacksteps(const FieldPath& field, std::string_view path, FieldErrors& errors) {
  const auto parts = Split(path, '/');
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) errors.Invalid(field, path, "must not contain '..'");
}

void CheckRelativePath(const FieldPath& field, std::string_view path, FieldErrors& errors) {
  if (path.starts_with('/')) errors.Invalid(field, path, "must be a relative path");
  CheckNoBacksteps(field, path, errors);
}

void CheckProjectedPath(const FieldPath& field, std::string_view path, FieldErrors& errors) {
  CheckRelativePath(field, path, errors);
  if (path.starts_with("..") && !path.starts_with("../")) errors.Invalid(field, path, "must not start with '..'");
}

void CheckFileMode(const FieldPath& field, const json::Value& mode, FieldErrors& errors) {
  if (IntOf(mode) < 0 || IntOf(mode) > 0777) {
    errors.Invalid(field, IntOf(mode), "must be a number between 0 and 0777 (octal), both inclusive");
  }
}

void CheckLabelSelector(const FieldPath& field, const json::Value& selector, FieldErrors& errors) {
  CheckLabels(field.Child("matchLabels"), selector["matchLabels"], errors);
  Each(field.Child("matchExpressions"), selector["matchExpressions"],
       [&](const FieldPath& path, const json::Value& requirement) { CheckSelectorRequirement(path, requirement, errors); });
}

bool IsEmptySelector(const json::Value& selector) {
  return MembersOf(selector["matchLabels"]).empty() && ItemsOf(selector["matchExpressions"]).empty();
}

bool SelectorMatches(const json::Value& selector, const json::Value& labels) {
  if (!selector.IsObject()) return false;
  const MemberIndex have(labels);
  for (const json::Member& wanted : MembersOf(selector["matchLabels"])) {
    if (!json::Equal(have[wanted.key], wanted.value)) return false;
  }
  const auto requirements = ItemsOf(selector["matchExpressions"]);
  return std::all_of(requirements.begin(), requirements.end(), [&](const json::Value& one) { return RequirementMatches(one, have); });
}

}  // namespace allot::apiserver
