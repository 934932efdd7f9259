#include "apiserver/kinds/custom/schema.h"

#include <algorithm>
#include <functional>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/order.h"

namespace allot::apiserver {
namespace {

std::string Text(const Value& value) { return std::string(json::TextOf(value)); }

std::optional<double> Number(const Value& value) { return value.IsNumber() ? std::optional(value.AsDouble()) : std::nullopt; }

std::optional<int64_t> Integer(const Value& value) { return value.IsNumber() ? value.AsInt64() : std::nullopt; }

std::vector<std::string> Texts(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : json::ItemsOf(list)) texts.emplace_back(json::TextOf(item));
  return texts;
}

void Read(const Value& value, CustomSchema& schema);

CustomSchema::Ptr ReadOne(const Value& value) {
  if (!value.IsObject()) return nullptr;
  auto schema = std::make_unique<CustomSchema>();
  Read(value, *schema);
  return schema;
}

std::vector<CustomSchema::Ptr> ReadAll(const Value& list) {
  std::vector<CustomSchema::Ptr> schemas;
  for (const Value& item : json::ItemsOf(list)) {
    if (CustomSchema::Ptr schema = ReadOne(item)) schemas.push_back(std::move(schema));
  }
  return schemas;
}

std::vector<CustomRule> ReadRules(const Value& list) {
  std::vector<CustomRule> rules;
  for (const Value& item : json::ItemsOf(list)) {
    rules.push_back({Text(item["rule"]), Text(item["message"]), Text(item["messageExpression"]), Text(item["fieldPath"]),
                     Text(item["reason"]), json::IsTrue(item["optionalOldSelf"])});
  }
  return rules;
}

void ReadLimits(const Value& value, CustomSchema& schema) {
  for (const Value& item : json::ItemsOf(value["enum"])) schema.enums.push_back(item);
  schema.minimum = Number(value["minimum"]);
  schema.maximum = Number(value["maximum"]);
  schema.multiple_of = Number(value["multipleOf"]);
  schema.exclusive_minimum = json::IsTrue(value["exclusiveMinimum"]);
  schema.exclusive_maximum = json::IsTrue(value["exclusiveMaximum"]);
  schema.min_length = Integer(value["minLength"]);
  schema.max_length = Integer(value["maxLength"]);
  schema.min_items = Integer(value["minItems"]);
  schema.max_items = Integer(value["maxItems"]);
  schema.min_properties = Integer(value["minProperties"]);
  schema.max_properties = Integer(value["maxProperties"]);
  schema.pattern = Text(value["pattern"]);
  if (schema.pattern.empty()) return;
  if (auto regex = cel::Regex::Compile(schema.pattern); regex.ok()) schema.regex = *std::move(regex);
}

void ReadMembers(const Value& value, CustomSchema& schema) {
  schema.required = Texts(value["required"]);
  std::sort(schema.required.begin(), schema.required.end());
  for (const json::Member& member : json::MembersOf(value["properties"])) {
    CustomSchema::Ptr property = ReadOne(member.value);
    if (property == nullptr) property = std::make_unique<CustomSchema>();
    schema.properties.push_back({std::string(member.key), std::move(property)});
  }
  std::sort(schema.properties.begin(), schema.properties.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  schema.items = ReadOne(value["items"]);
  const Value& additional = value["additionalProperties"];
  schema.additional_schema = ReadOne(additional);
  if (additional.IsBool()) {
    schema.additional = additional.AsBool() ? CustomSchema::Additional::kAllowed : CustomSchema::Additional::kForbidden;
  } else if (schema.additional_schema != nullptr) {
    schema.additional = CustomSchema::Additional::kSchema;
  }
}

void Read(const Value& value, CustomSchema& schema) {
  schema.type = Text(value["type"]);
  schema.description = Text(value["description"]);
  schema.format = Text(value["format"]);
  schema.nullable = json::IsTrue(value["nullable"]);
  schema.int_or_string = json::IsTrue(value["x-kubernetes-int-or-string"]);
  schema.preserve_unknown = json::IsTrue(value["x-kubernetes-preserve-unknown-fields"]);
  schema.embedded_resource = json::IsTrue(value["x-kubernetes-embedded-resource"]);
  schema.default_value = value["default"];
  ReadLimits(value, schema);
  ReadMembers(value, schema);
  schema.all_of = ReadAll(value["allOf"]);
  schema.any_of = ReadAll(value["anyOf"]);
  schema.one_of = ReadAll(value["oneOf"]);
  schema.none_of = ReadOne(value["not"]);
  schema.list_type = Text(value["x-kubernetes-list-type"]);
  schema.map_type = Text(value["x-kubernetes-map-type"]);
  schema.list_keys = Texts(value["x-kubernetes-list-map-keys"]);
  schema.rules = ReadRules(value["x-kubernetes-validations"]);
}

// The document owns the values of defaults and enums.
struct Owner {
  json::Document document;
  CustomSchema schema;
};

}  // namespace

bool CustomSchema::Requires(std::string_view property) const {
  return std::binary_search(required.begin(), required.end(), property, std::less<>());
}

const CustomSchema* CustomSchema::Find(std::string_view property) const {
  const auto found = std::lower_bound(properties.begin(), properties.end(), property,
                                      [](const Property& candidate, std::string_view name) { return candidate.name < name; });
  return found == properties.end() || found->name != property ? nullptr : found->schema.get();
}

const CustomSchema* CustomSchema::Member(std::string_view name) const {
  const CustomSchema* const property = Find(name);
  return property != nullptr ? property : additional_schema.get();
}

std::shared_ptr<const CustomSchema> ReadCustomSchema(const Value& schema) {
  auto owner = std::make_shared<Owner>();
  json::Editor edit(owner->document.arena());
  const Value copy = WithSortedMembers(edit, edit.Copy(schema));
  if (copy.IsObject()) Read(copy, owner->schema);
  return std::shared_ptr<const CustomSchema>(owner, &owner->schema);
}

}  // namespace allot::apiserver
