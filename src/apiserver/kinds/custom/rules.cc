#include "apiserver/kinds/custom/rules.h"

#include <algorithm>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/members.h"
#include "apiserver/kinds/custom/old_items.h"
#include "base/strings.h"

namespace allot::apiserver {
namespace {

constexpr size_t kMaxMessage = 5 * 1024;

std::string_view ShownRule(const CustomRule& rule) { return Trim(rule.message.empty() ? rule.rule : rule.message); }

// The value and its old value, for the nearest enclosing part that has an old value.
struct Correlated {
  const Value* value = nullptr;
  const Value* old = nullptr;

  bool IsUnchanged() const { return value != nullptr && old != nullptr && json::Equal(*value, *old); }
};

}  // namespace

struct CustomRules::Node {
  struct Compiled {
    const CustomRule* source = nullptr;
    std::shared_ptr<const cel::Rule> rule;     // nullptr: empty, or see `error`
    std::shared_ptr<const cel::Rule> message;  // nullptr: none, or it cannot be used
    std::string error;
    std::string field_path;
  };

  const CustomSchema* schema = nullptr;
  std::vector<Compiled> rules;
  std::unique_ptr<Node> items, additional;
  std::vector<std::pair<std::string_view, std::unique_ptr<Node>>> properties;  // sorted, as in the schema

  const Node* Member(std::string_view name) const {
    const auto found = std::lower_bound(properties.begin(), properties.end(), name, [](const auto& a, auto b) { return a.first < b; });
    if (found != properties.end() && found->first == name) return found->second.get();
    return additional.get();
  }
};

// One validation of an object.
class CustomRules::Run {
 public:
  Run(FieldErrors& errors, int64_t& budget) : errors_(errors), budget_(budget) {}

  void Visit(const Node& node, const Value& value, const Value* old, Correlated around, const FieldPath& field, bool at_root) {
    if (value.IsNull() || budget_ < 0) return;
    if (old != nullptr) around = {&value, old};
    if (!node.rules.empty()) VisitRules(node, value, old, around, field);
    if (budget_ < 0) return;
    if (value.IsArray() && node.items != nullptr) VisitItems(node, value, old, around, field);
    if (value.IsObject()) VisitMembers(node, value, old, around, field, at_root);
  }

 private:
  void VisitItems(const Node& node, const Value& value, const Value* old, const Correlated& around, const FieldPath& field) {
    const OldItems old_items(*node.schema, old);
    const auto items = value.Items();
    for (size_t i = 0; i < items.size() && budget_ >= 0; ++i) {
      Visit(*node.items, items[i], old_items.Find(items[i]), around, field.Index(i), false);
    }
  }

  void VisitMembers(const Node& node, const Value& value, const Value* old, const Correlated& around, const FieldPath& field,
                    bool at_root) {
    const SortedMembers old_members(old);
    for (const json::Member& member : value.Members()) {
      const Node* const below = node.Member(member.key);
      if (below == nullptr) continue;
      const Value* const old_member = old_members.Find(member.key);
      const bool plain = node.schema->Find(member.key) != nullptr;
      const bool type_meta = at_root && (member.key == "apiVersion" || member.key == "kind");
      Visit(*below, member.value, old_member, type_meta ? Correlated() : around, plain ? field.Child(member.key) : field.Key(member.key),
            false);
    }
  }

  void VisitRules(const Node& node, const Value& value, const Value* old, const Correlated& around, FieldPath field) {
    const bool root = field.text().empty();
    if (root) field = FieldPath(std::string_view("<nil>"));  // Go's text for the path of the object itself
    if (old != nullptr && old->IsNull()) old = nullptr;
    for (const Node::Compiled& compiled : node.rules) {
      if (budget_ <= 0) return OutOfBudget(node, field);
      if (!compiled.error.empty()) {
        errors_.Invalid(field, node.schema->type, StrCat("rule compile error: ", compiled.error));
        continue;
      }
      if (compiled.rule == nullptr) continue;
      if (compiled.rule->uses_old_self() && old == nullptr && !compiled.source->optional_old_self) continue;
      uint64_t cost = 0;
      const Result<bool> holds = compiled.rule->Holds(value, old, &cost);
      if (cost > static_cast<uint64_t>(budget_)) return OutOfBudget(node, field);
      budget_ -= static_cast<int64_t>(cost);
      if (!holds.ok()) {
        if (!Failed(node, *compiled.source, holds.status(), field)) return;
      } else if (!*holds) {
        const FieldPath below = root ? FieldPath() : field;
        Broken(node, compiled, value, old, around, compiled.field_path.empty() ? field : below.Child(compiled.field_path));
      }
      if (budget_ < 0) return;
    }
  }

  void OutOfBudget(const Node& node, const FieldPath& field) {
    errors_.Invalid(field, node.schema->type,
                    "validation failed due to running out of cost budget, no further validation rules will be run");
    budget_ = -1;
  }

  // Returns false to stop running rules.
  bool Failed(const Node& node, const CustomRule& rule, const Status& status, const FieldPath& field) {
    const std::string& why = status.message();
    if (status.code() == Code::kExhausted) {
      errors_.Invalid(
          field, node.schema->type,
          StrCat("'", why, "': no further validation rules will be run due to call cost exceeds limit for rule: ", ShownRule(rule)));
      budget_ = -1;
      return false;
    }
    const bool overload = why.starts_with("no such overload");
    errors_.Invalid(
        field, node.schema->type,
        overload ? StrCat("'", why,
                          "': call arguments did not match a supported operator, function or macro signature for rule: ", ShownRule(rule))
                 : StrCat(why, " evaluating rule: ", ShownRule(rule)));
    return true;
  }

  void Broken(const Node& node, const Node::Compiled& compiled, const Value& value, const Value* old, const Correlated& around,
              const FieldPath& at) {
    const std::string detail = Detail(compiled, value, old);
    // An unchanged part may stay invalid.
    if (!compiled.rule->uses_old_self() && around.IsUnchanged()) return;
    const std::string_view reason = compiled.source->reason;
    const bool whole = node.schema->type == "object" || node.schema->type == "array";
    if (reason == "FieldValueForbidden") {
      errors_.Forbidden(at, detail);
    } else if (reason == "FieldValueRequired") {
      errors_.Required(at, detail);
    } else if (reason == "FieldValueDuplicate") {
      whole ? errors_.Add(reason, at, "Duplicate value") : errors_.Duplicate(at, value);
    } else {
      whole ? errors_.Add("FieldValueInvalid", at, StrCat("Invalid value: ", detail)) : errors_.Invalid(at, value, detail);
    }
  }

  std::string Detail(const Node::Compiled& compiled, const Value& value, const Value* old) {
    const CustomRule& rule = *compiled.source;
    if (compiled.message != nullptr && (old != nullptr || !compiled.message->uses_old_self() || rule.optional_old_self)) {
      uint64_t cost = 0;
      const Result<std::string> text = compiled.message->Text(value, old, &cost);
      if (cost > static_cast<uint64_t>(budget_) || text.status().code() == Code::kExhausted) {
        budget_ = -1;
        return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
      }
      budget_ -= static_cast<int64_t>(cost);
      if (text.ok()) {
        const std::string_view trimmed = Trim(*text);
        if (!trimmed.empty() && trimmed.size() <= kMaxMessage && trimmed.find('\n') == std::string_view::npos) return std::string(trimmed);
      }
    }
    return rule.message.empty() ? StrCat("failed rule: ", Trim(rule.rule)) : std::string(Trim(rule.message));
  }

  FieldErrors& errors_;
  int64_t& budget_;
};

CustomRules::CustomRules() = default;
CustomRules::~CustomRules() = default;

// Returns nullptr if neither this part nor any part below it has rules.
std::unique_ptr<CustomRules::Node> CustomRules::Make(const CustomSchema& schema, const cel::Type* type) {
  auto node = std::make_unique<Node>();
  node->schema = &schema;
  for (const CustomRule& rule : schema.rules) {
    Node::Compiled& compiled = node->rules.emplace_back();
    compiled.source = &rule;
    if (Trim(rule.rule).empty()) continue;
    if (type == nullptr) {
      compiled.error = "rules cannot see a value of this schema";
      continue;
    }
    auto made = cel::Rule::Compile(rule.rule, *type, {.optional_old_self = rule.optional_old_self});
    if (!made.ok()) {
      compiled.error = made.status().message();
      continue;
    }
    compiled.rule = *std::move(made);
    if (!rule.message_expression.empty()) {
      auto message = cel::Rule::Compile(rule.message_expression, *type, {.text = true, .optional_old_self = rule.optional_old_self});
      if (message.ok()) compiled.message = *std::move(message);
    }
    FieldPath words;
    const CustomSchema* found = nullptr;
    if (!rule.field_path.empty() && FollowFieldPath(schema, rule.field_path, true, &words, &found)) compiled.field_path = words.text();
  }
  const cel::Type* const element = type == nullptr || type->params.empty() ? nullptr : type->params.back();
  if (schema.items != nullptr) node->items = Make(*schema.items, element);
  if (schema.additional_schema != nullptr) {
    node->additional = Make(*schema.additional_schema, element);
  }
  for (const CustomSchema::Property& property : schema.properties) {
    const cel::ObjectField* const field = type == nullptr || type->declared == nullptr ? nullptr : type->declared->FindKey(property.name);
    const cel::Type* below = field != nullptr ? field->type : nullptr;
    // A field that expressions cannot name may still have rules of its own.
    if (below == nullptr) below = MakeRuleType(types_, *property.schema, property.schema->embedded_resource).type;
    if (auto made = Make(*property.schema, below)) {
      node->properties.emplace_back(property.name, std::move(made));
    }
  }
  const bool any = !node->rules.empty() || node->items != nullptr || node->additional != nullptr || !node->properties.empty();
  return any ? std::move(node) : nullptr;
}

std::shared_ptr<const CustomRules> CustomRules::Compile(const CustomSchema& schema, bool resource) {
  std::shared_ptr<CustomRules> rules(new CustomRules());
  const RuleType type = MakeRuleType(rules->types_, schema, resource);
  rules->root_ = rules->Make(schema, type.type);
  return rules->root_ == nullptr ? nullptr : rules;
}

void CustomRules::Validate(const Value& value, const Value* old, const FieldPath& field, FieldErrors& errors, int64_t& budget) const {
  Run(errors, budget).Visit(*root_, value, old, {}, field, true);
}

}  // namespace allot::apiserver
