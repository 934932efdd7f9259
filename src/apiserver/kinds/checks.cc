#include "apiserver/kinds/checks.h"

#include <algorithm>

#include "model/names.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxLabelBytes = 63;
constexpr size_t kMaxSubdomainBytes = 253;
constexpr size_t kMaxAnnotationBytes = 256 * 1024;
constexpr size_t kMaxReasonBytes = 1024;
constexpr size_t kMaxMessageBytes = 32 * 1024;

#define ALLOT_LABEL "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define ALLOT_KEY "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

constexpr std::string_view kLabelSyntax =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '" ALLOT_LABEL "')";
constexpr std::string_view kSubdomainSyntax =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is '" ALLOT_LABEL "(\\." ALLOT_LABEL ")*')";
constexpr std::string_view kKeySyntax =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
    "'my.name',  or '123-abc', regex used for validation is '" ALLOT_KEY "')";
constexpr std::string_view kValueSyntax =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(" ALLOT_KEY ")?')";
constexpr std::string_view kIdentifierSyntax =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. "
    "'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
constexpr std::string_view kReasonSyntax =
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and "
    "must "
    "end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or "
    "'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

#undef ALLOT_LABEL
#undef ALLOT_KEY

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

std::string TooLong(size_t max) { return StrCat("must be no more than ", max, " bytes"); }

// Checks the syntax at any length. model/names.h includes length limits, so each part between dots is checked here.
bool HasSubdomainSyntax(std::string_view text) {
  const auto inner = [](char c) { return (c >= 'a' && c <= 'z') || IsDigit(c) || c == '-'; };
  for (const std::string_view part : Split(text, '.')) {
    if (part.empty() || part.front() == '-' || part.back() == '-' || !std::all_of(part.begin(), part.end(), inner)) return false;
  }
  return true;
}

bool HasKeySyntax(std::string_view text) {
  const auto outer = [](char c) { return IsLetter(c) || IsDigit(c); };
  const auto inner = [&](char c) { return outer(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && outer(text.front()) && outer(text.back()) && std::all_of(text.begin(), text.end(), inner);
}

bool HasReasonSyntax(std::string_view text) {
  if (text.empty() || !IsLetter(text.front()) || !IsWordCharacter(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return IsWordCharacter(c) || c == ',' || c == ':'; });
}

void CheckCondition(const FieldPath& field, const json::Value& condition, FieldErrors& errors) {
  CheckLabelKey(field.Child("type"), json::TextOf(condition["type"]), errors);
  const std::string_view status = json::TextOf(condition["status"]);
  if (status != "True" && status != "False" && status != "Unknown") {
    errors.NotSupported(field.Child("status"), status, {"False", "True", "Unknown"});
  }
  if (const int64_t generation = IntOf(condition["observedGeneration"]); generation < 0) {
    errors.Invalid(field.Child("observedGeneration"), generation, "must be greater than or equal to zero");
  }
  if (json::TextOf(condition["lastTransitionTime"]).empty()) errors.Required(field.Child("lastTransitionTime"));

  const std::string_view reason = json::TextOf(condition["reason"]);
  if (reason.empty()) {
    errors.Required(field.Child("reason"));
  } else {
    if (!HasReasonSyntax(reason)) errors.Invalid(field.Child("reason"), reason, kReasonSyntax);
    if (reason.size() > kMaxReasonBytes) errors.TooLong(field.Child("reason"), kMaxReasonBytes);
  }
  if (json::TextOf(condition["message"]).size() > kMaxMessageBytes) errors.TooLong(field.Child("message"), kMaxMessageBytes);
}

void CheckLabelRequirement(const FieldPath& field, const json::Value& requirement, FieldErrors& errors) {
  const std::string_view op = json::TextOf(requirement["operator"]);
  const auto values = json::ItemsOf(requirement["values"]);
  const FieldPath at = field.Child("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) errors.Required(at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) errors.Forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) errors.Required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    errors.Invalid(field.Child("operator"), op, "not a valid selector operator");
  }
  CheckLabelKey(field.Child("key"), json::TextOf(requirement["key"]), errors);
  for (size_t i = 0; i < values.size(); ++i) CheckLabelValue(at.Index(i), json::TextOf(values[i]), errors);
}

void CheckFieldRequirement(const FieldPath& field, const json::Value& requirement, FieldErrors& errors) {
  const std::string_view op = json::TextOf(requirement["operator"]);
  const auto values = json::ItemsOf(requirement["values"]);
  if (op != "In" && op != "NotIn") {
    errors.Invalid(field.Child("operator"), op, "not a valid selector operator");
  } else if (values.size() != 1) {
    errors.Required(field.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  const std::string_view key = json::TextOf(requirement["key"]);
  if (key != "metadata.name") return errors.Invalid(field.Child("key"), key, "not a valid field selector key");
  for (size_t i = 0; i < values.size(); ++i) CheckDnsSubdomain(field.Child("values").Index(i), json::TextOf(values[i]), errors);
}

}  // namespace

Problems DnsLabelProblems(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxLabelBytes) problems.push_back(TooLong(kMaxLabelBytes));
  if (!HasSubdomainSyntax(text)) {
    problems.emplace_back(kLabelSyntax);
  } else if (text.find('.') != std::string_view::npos) {
    problems.emplace_back("must not contain dots");
  }
  return problems;
}

Problems DnsSubdomainProblems(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxSubdomainBytes) problems.push_back(TooLong(kMaxSubdomainBytes));
  if (!HasSubdomainSyntax(text)) problems.emplace_back(kSubdomainSyntax);
  return problems;
}

Problems LabelKeyProblems(std::string_view text) {
  Problems problems;
  std::string_view name = text;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {StrCat("a valid label key ", kKeySyntax, " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")};
    }
    if (prefix.empty()) {
      problems.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& problem : DnsSubdomainProblems(prefix)) problems.push_back(StrCat("prefix part ", problem));
    }
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxLabelBytes) {
    problems.push_back(StrCat("name part ", TooLong(kMaxLabelBytes)));
  }
  if (!HasKeySyntax(name)) problems.push_back(StrCat("name part ", kKeySyntax));
  return problems;
}

Problems LabelValueProblems(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxLabelBytes) problems.push_back(TooLong(kMaxLabelBytes));
  if (!text.empty() && !HasKeySyntax(text)) problems.emplace_back(kValueSyntax);
  return problems;
}

Problems CIdentifierProblems(std::string_view text) {
  if (!text.empty() && !IsDigit(text.front()) && std::all_of(text.begin(), text.end(), IsWordCharacter)) return {};
  return {std::string(kIdentifierSyntax)};
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void AddInvalid(const FieldPath& field, std::string_view value, const Problems& problems, FieldErrors& errors) {
  for (const std::string& problem : problems) errors.Invalid(field, value, problem);
}

void CheckDnsLabel(const FieldPath& field, std::string_view text, FieldErrors& errors) {
  AddInvalid(field, text, DnsLabelProblems(text), errors);
}
void CheckDnsSubdomain(const FieldPath& field, std::string_view text, FieldErrors& errors) {
  AddInvalid(field, text, DnsSubdomainProblems(text), errors);
}
void CheckLabelKey(const FieldPath& field, std::string_view text, FieldErrors& errors) {
  AddInvalid(field, text, LabelKeyProblems(text), errors);
}
void CheckLabelValue(const FieldPath& field, std::string_view text, FieldErrors& errors) {
  AddInvalid(field, text, LabelValueProblems(text), errors);
}

void CheckDriverName(const FieldPath& field, std::string_view text, FieldErrors& errors) {
  if (text.empty()) return errors.Required(field);
  if (text.size() > kMaxLabelBytes) errors.TooLong(field, kMaxLabelBytes);
  AddInvalid(field, text, DnsSubdomainProblems(ToLower(text)), errors);
}

void CheckLabels(const FieldPath& field, const json::Value& labels, FieldErrors& errors) {
  for (const json::Member& label : json::MembersOf(labels)) {
    CheckLabelKey(field, label.key, errors);
    CheckLabelValue(field, json::TextOf(label.value), errors);
  }
}

void CheckAnnotations(const FieldPath& field, const json::Value& annotations, FieldErrors& errors) {
  size_t bytes = 0;
  for (const json::Member& annotation : json::MembersOf(annotations)) {
    AddInvalid(field, annotation.key, LabelKeyProblems(ToLower(annotation.key)), errors);
    bytes += annotation.key.size() + json::TextOf(annotation.value).size();
  }
  if (bytes > kMaxAnnotationBytes) errors.TooLong(field, kMaxAnnotationBytes);
}

bool IsNativeResource(std::string_view name) {
  return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}

bool IsExtendedResourceName(std::string_view name) {
  if (IsNativeResource(name) || name.starts_with("requests.")) return false;
  return model::IsLabelKey(StrCat("requests.", name));
}

void CheckImmutable(const FieldPath& field, const json::Value& value, const json::Value& old, FieldErrors& errors) {
  if (!json::Equal(value, old)) errors.Invalid(field, value, "field is immutable");
}

void CheckEnum(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported, FieldErrors& errors) {
  if (value.empty()) return errors.Required(field);
  if (std::find(supported.begin(), supported.end(), value) == supported.end()) errors.NotSupported(field, value, supported);
}

void CheckNodeSelector(const FieldPath& field, const json::Value& selector, FieldErrors& errors) {
  const FieldPath at = field.Child("nodeSelectorTerms");
  const auto terms = json::ItemsOf(selector["nodeSelectorTerms"]);
  if (terms.empty()) return errors.Required(at, "must have at least one node selector term");
  for (size_t i = 0; i < terms.size(); ++i) CheckNodeSelectorTerm(at.Index(i), terms[i], errors);
}

void CheckNodeSelectorTerm(const FieldPath& field, const json::Value& term, FieldErrors& errors) {
  const auto each = [&](std::string_view name, auto check) {
    const auto requirements = json::ItemsOf(term[name]);
    for (size_t i = 0; i < requirements.size(); ++i) check(field.Child(name).Index(i), requirements[i], errors);
  };
  each("matchExpressions", CheckLabelRequirement);
  each("matchFields", CheckFieldRequirement);
}

void CheckConditions(const FieldPath& field, const json::Value& conditions, FieldErrors& errors) {
  std::set<std::string_view> types;
  const auto items = json::ItemsOf(conditions);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string_view type = json::TextOf(items[i]["type"]);
    if (!types.insert(type).second) errors.Duplicate(field.Index(i).Child("type"), type);
    CheckCondition(field.Index(i), items[i], errors);
  }
}

model::Quantity QuantityOf(const json::Value& value) {
  const std::string_view text = value.IsNumber() ? value.NumberText() : json::TextOf(value);
  auto quantity = model::Quantity::Parse(text);
  return quantity.ok() ? *std::move(quantity) : model::Quantity();
}

int64_t IntOf(const json::Value& value) { return value.IsNumber() ? value.AsInt64().value_or(0) : 0; }

}  // namespace allot::apiserver
