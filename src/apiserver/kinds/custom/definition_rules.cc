#include "apiserver/kinds/custom/definition_rules.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/rules.h"
#include "base/strings.h"

namespace allot::apiserver {
namespace {

constexpr uint64_t kMaxRuleCost = 10'000'000;    // maximal cost of one rule
constexpr uint64_t kMaxTotalCost = 100'000'000;  // maximal cost of all rules of a schema
constexpr uint64_t kMaxRequest = 3 * 1024 * 1024;

bool HasLineBreak(std::string_view text) { return text.find_first_of("\n\r") != std::string_view::npos; }

uint64_t Times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

std::string CostMessage(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  char text[32] = "more than 100x";
  if (factor <= 100) std::snprintf(text, sizeof text, factor < 1.5 ? "%fx" : "%.1fx", factor);
  return StrCat(
      what, " exceeds budget by factor of ", text,
      " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)");
}

}  // namespace

void CheckRuleTexts(const Value& list, const CustomSchema* schema, const FieldPath& field, FieldErrors& errors) {
  const auto rules = json::ItemsOf(list);
  for (size_t i = 0; i < rules.size(); ++i) {
    const FieldPath at = field.Index(i);
    const std::string_view rule = Trim(json::TextOf(rules[i]["rule"]));
    const std::string_view message = json::TextOf(rules[i]["message"]);
    const std::string_view expression = json::TextOf(rules[i]["messageExpression"]);
    const std::string_view path = json::TextOf(rules[i]["fieldPath"]);
    const Value& reason = rules[i]["reason"];
    if (rule.empty()) {
      errors.Required(at.Child("rule"), "rule is not specified");
    } else if (!message.empty() && Trim(message).empty()) {
      errors.Invalid(at.Child("message"), message, "must be non-empty if specified");
    } else if (HasLineBreak(Trim(message))) {
      errors.Invalid(at.Child("message"), message, "must not contain line breaks");
    } else if (HasLineBreak(rule) && message.empty()) {
      errors.Required(at.Child("message"), "message must be specified if rule contains line breaks");
    }
    if (!expression.empty() && Trim(expression).empty()) {
      errors.Required(at.Child("messageExpression"), "messageExpression must be non-empty if specified");
    }
    static constexpr std::array<std::string_view, 4> kReasons = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                                                 "FieldValueRequired"};
    if (!reason.IsNull() && std::find(kReasons.begin(), kReasons.end(), json::TextOf(reason)) == kReasons.end()) {
      errors.NotSupported(at.Child("reason"), json::TextOf(reason), kReasons);
    }
    if (!path.empty() && Trim(path).empty()) errors.Invalid(at.Child("fieldPath"), path, "must be non-empty if specified");
    if (HasLineBreak(path)) errors.Invalid(at.Child("fieldPath"), path, "must not contain line breaks");
    FieldPath words;
    const CustomSchema* found = nullptr;
    if (!path.empty() && schema != nullptr && !FollowFieldPath(*schema, path, true, &words, &found)) {
      errors.Invalid(at.Child("fieldPath"), path, "must be a valid path");
    }
  }
}

void DefinitionRules::Check(const Value& rules, const Place& place, const FieldPath& field) {
  cel::ObjectTypes types;
  const RuleType type = MakeRuleType(types, place.schema, place.resource);
  if (type.type == nullptr) {
    errors_.Add("InternalError", field, "Internal error: rules cannot see a value of this schema");
    return;
  }
  const uint64_t count = place.count.value_or(kMaxRequest / static_cast<uint64_t>(type.min_size + 1));
  for (size_t i = 0; i < place.schema.rules.size(); ++i) {
    CheckRule(rules.Items()[i], place.schema.rules[i], *type.type, count, place.uncorrelated, field.Index(i));
  }
}

void DefinitionRules::CheckRule(const Value& written, const CustomRule& rule, const cel::Type& type, uint64_t count,
                                std::string_view uncorrelated, const FieldPath& field) {
  const auto compiled = cel::Rule::Compile(rule.rule, type, {.optional_old_self = rule.optional_old_self});
  if (!compiled.ok()) {
    errors_.Invalid(field.Child("rule"), written, StrCat("compilation failed: ", compiled.status().message()));
    CheckNotOptional(written, field);
    return;
  }
  Observe(field.Child("rule"), "estimated rule cost", Times((*compiled)->max_cost(), count));
  if (!rule.message_expression.empty()) {
    const auto message = cel::Rule::Compile(rule.message_expression, type, {.text = true, .optional_old_self = rule.optional_old_self});
    if (message.ok()) {
      Observe(field.Child("messageExpression"), "estimated messageExpression cost", (*message)->max_cost());
    } else {
      errors_.Invalid(field.Child("messageExpression"), written,
                      StrCat("messageExpression compilation failed: ", message.status().message()));
    }
  }
  if ((*compiled)->uses_old_self()) {
    if (!uncorrelated.empty()) {
      errors_.Invalid(field.Child("rule"), rule.rule,
                      StrCat("oldSelf cannot be used on the uncorrelatable portion of the schema within ", uncorrelated));
    }
  } else {
    CheckNotOptional(written, field);
  }
}

// For rules that do not use oldSelf.
void DefinitionRules::CheckNotOptional(const Value& written, const FieldPath& field) {
  const Value& optional = written["optionalOldSelf"];
  if (!optional.IsNull()) errors_.Invalid(field.Child("optionalOldSelf"), optional, "may not be set if oldSelf is not used in rule");
}

void DefinitionRules::Observe(const FieldPath& field, std::string_view what, uint64_t cost) {
  if (cost > kMaxRuleCost) errors_.Forbidden(field, CostMessage(what, cost, kMaxRuleCost));
  total_ = total_ > UINT64_MAX - cost ? UINT64_MAX : total_ + cost;
  if (cost >= kMaxTotalCost / 100) costs_.emplace_back(field, cost);
}

void DefinitionRules::Finish(const FieldPath& field, FieldErrors& errors) {
  for (const FieldError& error : errors_.all()) errors.Add(error.reason, FieldPath(std::string_view(error.field)), error.message);
  if (total_ <= kMaxTotalCost) return;
  std::stable_sort(costs_.begin(), costs_.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (costs_.size() > 4) costs_.resize(4);
  for (const auto& [path, cost] : costs_) {
    errors.Forbidden(path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema");
  }
  errors.Forbidden(field,
                   CostMessage("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", total_, kMaxTotalCost));
}

}  // namespace allot::apiserver
