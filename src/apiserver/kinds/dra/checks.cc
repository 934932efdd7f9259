#include "apiserver/kinds/dra/checks.h"

#include <algorithm>
#include <set>

#include "apiserver/kinds/checks.h"
#include "cel/program.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxPoolNameBytes = 253;
constexpr size_t kMaxIdentifierBytes = 32;
constexpr size_t kMaxExpressionBytes = 10 * 1024;
constexpr uint64_t kMaxExpressionCost = 1'000'000;
constexpr size_t kMaxBindingConditions = 4;
constexpr std::string_view kOmitted = "<value omitted>";

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool IsTaintEffect(std::string_view effect) { return effect == "NoExecute" || effect == "NoSchedule" || effect == "None"; }

void CheckIdentifier(const FieldPath& field, std::string_view id, FieldErrors& errors) {
  if (id.size() > kMaxIdentifierBytes) errors.TooLong(field, kMaxIdentifierBytes);
  AddInvalid(field, id, CIdentifierProblems(id), errors);
}

void CheckSelector(const FieldPath& field, const json::Value& selector, FieldErrors& errors) {
  const json::Value& cel = selector["cel"];
  if (cel.IsNull()) return errors.Required(field.Child("cel"));
  const FieldPath at = field.Child("cel").Child("expression");
  const std::string_view expression = json::TextOf(cel["expression"]);
  if (expression.size() > kMaxExpressionBytes) return errors.TooLong(at, kMaxExpressionBytes);
  const auto program = cel::Program::Compile(expression);
  if (!program.ok()) {
    errors.Invalid(at, expression, StrCat("compilation failed: ", program.status().message()));
  } else if ((*program)->max_cost() > kMaxExpressionCost) {
    errors.Forbidden(at, "too complex, exceeds cost limit");
  }
}

void CheckRaw(const FieldPath& field, const json::Value& raw, size_t max_bytes, bool stored, FieldErrors& errors) {
  if (raw.IsNull()) return errors.Required(field);
  if (!stored && json::Write(raw).size() > max_bytes) return errors.TooLong(field, max_bytes);
  if (!raw.IsObject()) errors.Invalid(field, kOmitted, "must be a valid JSON object");
}

}  // namespace

void CheckPoolName(const FieldPath& field, std::string_view name, FieldErrors& errors) {
  if (name.empty()) return errors.Required(field);
  if (name.size() > kMaxPoolNameBytes) errors.TooLong(field, kMaxPoolNameBytes);
  for (const std::string_view part : Split(name, '/')) CheckDnsSubdomain(field, part, errors);
}

void CheckQualifiedName(const FieldPath& field, std::string_view name, FieldErrors& errors) {
  const auto parts = Split(name, '/');
  if (parts.size() == 1) return CheckIdentifier(field, name, errors);
  if (parts.size() > 2) return;
  if (parts[0].empty()) {
    errors.Invalid(field, "", "the domain must not be empty");
  } else {
    CheckDriverName(field, parts[0], errors);
  }
  if (parts[1].empty()) {
    errors.Invalid(field, "", "the name must not be empty");
  } else {
    CheckIdentifier(field, parts[1], errors);
  }
}

void CheckFullyQualifiedName(const FieldPath& field, std::string_view name, FieldErrors& errors) {
  CheckQualifiedName(field, name, errors);
  if (name.find('/') == std::string_view::npos) {
    errors.Invalid(field, name, "a fully qualified name must be a domain and a name separated by a slash");
  }
}

void CheckUuid(const FieldPath& field, std::string_view text, FieldErrors& errors) {
  bool good = text.size() == 36;
  for (size_t i = 0; good && i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    good = dash ? text[i] == '-' : IsHex(text[i]);
  }
  if (good) return;
  errors.Invalid(field, text,
                 "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters");
}

void CheckSelectors(const FieldPath& field, const json::Value& selectors, FieldErrors& errors) {
  CheckList(field, selectors, kMaxDeviceEntries, errors,
            [&](const FieldPath& at, const json::Value& selector) { CheckSelector(at, selector, errors); });
}

void CheckDeviceConfiguration(const FieldPath& field, const json::Value& config, bool stored, FieldErrors& errors) {
  const json::Value& opaque = config["opaque"];
  const FieldPath at = field.Child("opaque");
  if (opaque.IsNull()) return errors.Required(at);
  CheckDriverName(at.Child("driver"), json::TextOf(opaque["driver"]), errors);
  CheckRaw(at.Child("parameters"), opaque["parameters"], kMaxParameterBytes, stored, errors);
}

void CheckRawObject(const FieldPath& field, const json::Value& raw, size_t max_bytes, FieldErrors& errors) {
  CheckRaw(field, raw, max_bytes, /*stored=*/false, errors);
}

void CheckDeviceTaint(const FieldPath& field, const json::Value& taint, FieldErrors& errors) {
  CheckLabelKey(field.Child("key"), json::TextOf(taint["key"]), errors);
  CheckLabelValue(field.Child("value"), json::TextOf(taint["value"]), errors);
  CheckEnum(field.Child("effect"), json::TextOf(taint["effect"]), {"NoExecute", "NoSchedule", "None"}, errors);
}

void CheckDeviceToleration(const FieldPath& field, const json::Value& toleration, FieldErrors& errors) {
  const std::string_view key = json::TextOf(toleration["key"]);
  const std::string_view value = json::TextOf(toleration["value"]);
  const std::string_view op = json::TextOf(toleration["operator"]);
  const std::string_view effect = json::TextOf(toleration["effect"]);
  if (!key.empty()) CheckLabelKey(field.Child("key"), key, errors);
  CheckEnum(field.Child("operator"), op, {"Equal", "Exists"}, errors);
  if (op == "Exists" && !value.empty()) errors.Invalid(field.Child("value"), value, "must be empty for operator `Exists`");
  if (op == "Equal") CheckLabelValue(field.Child("value"), value, errors);
  if (!effect.empty() && !IsTaintEffect(effect)) {
    errors.NotSupported(field.Child("effect"), effect, {"NoExecute", "NoSchedule", "None"});
  }
}

void CheckBindingConditions(const FieldPath& field, const json::Value& device, FieldErrors& errors) {
  const json::Value& conditions = device["bindingConditions"];
  const json::Value& failures = device["bindingFailureConditions"];
  const FieldPath conditions_at = field.Child("bindingConditions");
  const FieldPath failures_at = field.Child("bindingFailureConditions");
  const auto check_name = [&](const FieldPath& at, const json::Value& name) { CheckLabelKey(at, json::TextOf(name), errors); };
  CheckList(conditions_at, conditions, kMaxBindingConditions, errors, check_name);
  CheckList(failures_at, failures, kMaxBindingConditions, errors, check_name);
  CheckUnique(conditions_at, conditions, errors, json::TextOf);
  CheckUnique(failures_at, failures, errors, json::TextOf);

  std::set<std::string_view> names;
  for (const json::Value& condition : json::ItemsOf(conditions)) names.insert(json::TextOf(condition));
  const auto items = json::ItemsOf(failures);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!names.contains(json::TextOf(items[i]))) continue;
    errors.Invalid(failures_at.Index(i), json::TextOf(items[i]), "bindingFailureConditions must not overlap with bindingConditions");
  }
  if (names.empty() && !items.empty()) {
    errors.Invalid(conditions_at, conditions, "bindingConditions are required to use bindingFailureConditions");
  }
  if (!names.empty() && items.empty()) {
    errors.Invalid(failures_at, failures, "bindingFailureConditions are required to use bindingConditions");
  }
}

}  // namespace allot::apiserver
