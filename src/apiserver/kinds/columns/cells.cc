#include "apiserver/kinds/columns/cells.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "kube/age.h"

namespace allot::apiserver::cells {

Column NameColumn(int priority) {
  return {.name = "Name",
          .type = "string",
          .format = "name",
          .description = "What the object is called; no other of its kind and namespace has this name.",
          .priority = priority,
          .json_path = ""};
}

Column AgeColumn() { return TextColumn("Age", "How long ago the server stored the object for the first time."); }

Column TextColumn(std::string_view name, std::string_view description, int priority) {
  return {.name = std::string(name),
          .type = "string",
          .format = "",
          .description = std::string(description),
          .priority = priority,
          .json_path = ""};
}

Column TypedColumn(std::string_view name, std::string_view type, std::string_view description) {
  Column column = TextColumn(name, description);
  column.type = type;
  return column;
}

Value Name(Editor& edit, const Value& object) { return TextOr(edit, object["metadata"]["name"]); }

Value Age(Editor& edit, const Value& object, WallTime now) { return Since(edit, object["metadata"]["creationTimestamp"], now); }

Value Since(Editor& edit, const Value& time, WallTime now) { return edit.String(kube::Age(TextOf(time), now)); }

Value TextOr(Editor& edit, const Value& value, std::string_view otherwise) {
  return TextOf(value).empty() ? edit.String(otherwise) : value;
}

Value Ratio(Editor& edit, int64_t part, int64_t whole) { return edit.String(StrCat(part, "/", whole)); }

int64_t IntOf(const Value& value) {
  if (!value.IsNumber()) return 0;
  const int64_t number = value.AsInt64().value_or(0);
  return number < std::numeric_limits<int32_t>::min() || number > std::numeric_limits<int32_t>::max() ? 0 : number;
}

const Value& ConditionOf(const Value& status, std::string_view type) {
  static constexpr Value kNone{};
  for (const Value& condition : ItemsOf(status["conditions"])) {
    if (TextOf(condition["type"]) == type) return condition;
  }
  return kNone;
}

bool HasTrueCondition(const Value& status, std::string_view type) { return TextOf(ConditionOf(status, type)["status"]) == "True"; }

Value Joined(Editor& edit, const Value& containers, std::string_view field) {
  std::string text;
  for (const Value& container : ItemsOf(containers)) {
    if (&container != ItemsOf(containers).data()) text += ',';
    text += TextOf(container[field]);
  }
  return edit.String(text);
}

namespace {

// Returns the text of one expression, or nullopt for an unknown operator.
std::optional<std::string> ExpressionText(const Value& expression) {
  const std::string_view key = TextOf(expression["key"]);
  const std::string_view op = TextOf(expression["operator"]);
  if (op == "Exists") return std::string(key);
  if (op == "DoesNotExist") return StrCat("!", key);
  if (op != "In" && op != "NotIn") return std::nullopt;
  std::vector<std::string> values;
  for (const Value& value : ItemsOf(expression["values"])) values.emplace_back(TextOf(value));
  std::sort(values.begin(), values.end());
  return StrCat(key, op == "In" ? " in (" : " notin (", Join(values, ","), ")");
}

}  // namespace

std::optional<std::string> SelectorText(const Value& selector) {
  std::vector<std::pair<std::string_view, std::string>> parts;  // key and text
  for (const json::Member& label : MembersOf(selector["matchLabels"])) {
    parts.emplace_back(label.key, StrCat(label.key, "=", TextOf(label.value)));
  }
  for (const Value& expression : ItemsOf(selector["matchExpressions"])) {
    std::optional<std::string> text = ExpressionText(expression);
    if (!text) return std::nullopt;
    parts.emplace_back(TextOf(expression["key"]), *std::move(text));
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [key, part] : parts) text += text.empty() ? part : StrCat(",", part);
  return text;
}

}  // namespace allot::apiserver::cells
