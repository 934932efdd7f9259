#include "apiserver/kinds/dra/device.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/kinds/checks.h"
#include "apiserver/kinds/dra/capacity.h"
#include "apiserver/kinds/dra/checks.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxAttributesAndCapacities = 32;
constexpr size_t kMaxAttributeBytes = 64;
constexpr size_t kMaxTaints = 16;
constexpr size_t kMaxConsumedSets = 2;
constexpr size_t kMaxCounters = 32;
constexpr size_t kMaxShownName = 63 + 1 + 32;  // for names of attributes and capacities in paths; longer ones are cut

// Keeps the beginning and the end of a text that is too long for a path.
std::string Shortened(std::string_view text, size_t max) {
  if (text.size() <= max) return std::string(text);
  const size_t rest = max - 3;
  return StrCat(text.substr(0, (rest + 1) / 2), "...", text.substr(text.size() - rest / 2));
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsIdentifierCharacter(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; }

bool IsNumber(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  return std::all_of(text.begin(), text.end(), IsDigit);
}

// Identifiers of a build. Those of a pre-release that are all digits must be numbers without leading zeros.
bool IsIdentifier(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsIdentifierCharacter); }
bool IsPreReleasePart(std::string_view text) {
  return IsIdentifier(text) && (IsNumber(text) || !std::all_of(text.begin(), text.end(), IsDigit));
}

template <typename Test>
bool AllParts(std::string_view text, Test test) {
  const auto parts = Split(text, '.');
  return std::all_of(parts.begin(), parts.end(), test);
}

void CheckAttribute(const FieldPath& field, const json::Value& attribute, FieldErrors& errors) {
  int values = 0;
  for (const std::string_view kind : {"bool", "int", "string", "version"}) values += attribute[kind].IsNull() ? 0 : 1;
  if (json::TextOf(attribute["string"]).size() > kMaxAttributeBytes) errors.TooLong(field.Child("string"), kMaxAttributeBytes);
  if (const json::Value& version = attribute["version"]; !version.IsNull()) {
    const std::string_view text = json::TextOf(version);
    if (!IsSemanticVersion(text)) {
      errors.Invalid(field.Child("version"), text, "must be a string compatible with semver.org spec 2.0.0");
    }
    if (text.size() > kMaxAttributeBytes) errors.TooLong(field.Child("version"), kMaxAttributeBytes);
  }
  if (values == 0) errors.Invalid(field, "", "exactly one value must be specified");
  if (values > 1) errors.Invalid(field, attribute, "exactly one value must be specified");
}

void CheckAttributesAndCapacity(const FieldPath& field, const json::Value& device, FieldErrors& errors) {
  const auto attributes = json::MembersOf(device["attributes"]);
  const auto capacities = json::MembersOf(device["capacity"]);
  if (const size_t total = attributes.size() + capacities.size(); total > kMaxAttributesAndCapacities) {
    errors.Invalid(field, static_cast<int64_t>(total),
                   StrCat("the total number of attributes and capacities must not exceed ", kMaxAttributesAndCapacities));
  }
  // Without list attributes, each attribute has one value.
  constexpr size_t kMaxAttributeValues = 48;
  if (attributes.size() > kMaxAttributeValues) {
    errors.Invalid(field, static_cast<int64_t>(attributes.size()),
                   StrCat("the total number of attribute values must not exceed ", kMaxAttributeValues));
  }
  const FieldPath attributes_at = field.Child("attributes");
  for (const json::Member& attribute : attributes) {
    CheckQualifiedName(attributes_at, attribute.key, errors);
    CheckAttribute(attributes_at.Key(Shortened(attribute.key, kMaxShownName)), attribute.value, errors);
  }
  const FieldPath capacity_at = field.Child("capacity");
  const bool shareable = json::IsTrue(device["allowMultipleAllocations"]);
  for (const json::Member& capacity : capacities) {
    CheckQualifiedName(capacity_at, capacity.key, errors);
    CheckDeviceCapacity(capacity_at.Key(Shortened(capacity.key, kMaxShownName)), capacity.value, shareable, errors);
  }
}

// Checks the name of a counter set, in the field `name_field`, and its counters.
void CheckCounters(const FieldPath& field, const json::Value& set, std::string_view name_field, FieldErrors& errors) {
  const std::string_view name = json::TextOf(set[name_field]);
  if (name.empty()) {
    errors.Required(field.Child(name_field));
  } else {
    CheckDnsLabel(field.Child(name_field), name, errors);
  }
  const auto counters = json::MembersOf(set["counters"]);
  const FieldPath at = field.Child("counters");
  if (counters.empty()) return errors.Required(at);
  if (counters.size() > kMaxCounters) return errors.TooMany(at, counters.size(), kMaxCounters);
  for (const json::Member& counter : counters) CheckDnsLabel(at, counter.key, errors);
}

void CheckNodeChoice(const FieldPath& field, const json::Value& device, bool chooses_nodes, FieldErrors& errors) {
  const json::Value& name = device["nodeName"];
  const json::Value& selector = device["nodeSelector"];
  const json::Value& all = device["allNodes"];
  if (!chooses_nodes) {
    if (name.IsNull() && selector.IsNull() && all.IsNull()) return;
    return errors.Invalid(field, json::Value(),
                          "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the "
                          "ResourceSlice spec");
  }
  std::vector<std::string> choices;
  if (const std::string_view text = json::TextOf(name); !text.empty()) {
    choices.emplace_back("`nodeName`");
    CheckDnsSubdomain(field.Child("nodeName"), text, errors);
  } else if (!name.IsNull()) {
    errors.Invalid(field.Child("nodeName"), text, "must not be empty");
  }
  if (!selector.IsNull()) {
    choices.emplace_back("`nodeSelector`");
    CheckNodeSelector(field.Child("nodeSelector"), selector, errors);
  }
  if (json::IsTrue(all)) {
    choices.emplace_back("`allNodes`");
  } else if (!all.IsNull()) {
    errors.Invalid(field.Child("allNodes"), all, "must be either unset or set to true");
  }
  constexpr std::string_view kRule =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the "
      "ResourceSlice spec";
  if (choices.empty()) errors.Required(field, kRule);
  if (choices.size() > 1) errors.Invalid(field, StrCat("{", Join(choices, ", "), "}"), kRule);
}

}  // namespace

bool IsSemanticVersion(std::string_view text) {
  const size_t plus = text.find('+');
  if (plus != std::string_view::npos && !AllParts(text.substr(plus + 1), IsIdentifier)) return false;
  text = text.substr(0, plus);
  const size_t dash = text.find('-');
  if (dash != std::string_view::npos && !AllParts(text.substr(dash + 1), IsPreReleasePart)) return false;
  text = text.substr(0, dash);
  return Split(text, '.').size() == 3 && AllParts(text, IsNumber);
}

void CheckDevice(const FieldPath& field, const json::Value& device, const DeviceRules& rules, FieldErrors& errors) {
  CheckDnsLabel(field.Child("name"), json::TextOf(device["name"]), errors);
  CheckAttributesAndCapacity(field, device, errors);
  if (!rules.same_taints) {
    CheckList(field.Child("taints"), device["taints"], kMaxTaints, errors,
              [&](const FieldPath& at, const json::Value& taint) { CheckDeviceTaint(at, taint, errors); });
  }
  CheckSet(
      field.Child("consumesCounters"), device["consumesCounters"], kMaxConsumedSets, errors,
      [](const json::Value& set) { return json::TextOf(set["counterSet"]); },
      [&](const FieldPath& at, const json::Value& set) { CheckCounters(at, set, "counterSet", errors); });
  CheckNodeChoice(field, device, rules.chooses_nodes, errors);
  CheckBindingConditions(field, device, errors);
}

void CheckCounterSet(const FieldPath& field, const json::Value& set, FieldErrors& errors) { CheckCounters(field, set, "name", errors); }

}  // namespace allot::apiserver
