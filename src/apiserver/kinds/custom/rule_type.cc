#include <algorithm>

#include "apiserver/kinds/custom/rules.h"

namespace allot::apiserver {
namespace {

using K = cel::Type::Kind;

constexpr int64_t kMaxRequest = 3 * 1024 * 1024;
constexpr int64_t kMaxText = kMaxRequest - 2;  // without its quotes
constexpr int64_t kTextBytes = 4;              // per character
constexpr int64_t kMinTime = 21, kDate = 12, kMinDuration = 3, kMaxTime = 32;

uint64_t NotNegative(int64_t number) { return static_cast<uint64_t>(std::max<int64_t>(0, number)); }

class Maker {
 public:
  explicit Maker(cel::ObjectTypes& types) : types_(types) {}

  RuleType Make(const CustomSchema& schema, bool resource) {
    if (schema.int_or_string) return {types_.Scalar(K::kDyn, Sized(schema, MaxText(schema))), 1};
    if (schema.type == "array") return MakeList(schema);
    if (schema.type == "object") {
      if (schema.additional_schema != nullptr && !resource) return MakeMap(schema);
      return MakeObject(schema, resource);
    }
    if (schema.type == "string") return MakeText(schema);
    if (schema.type == "boolean") return {types_.Scalar(K::kBool, Sized(schema, 0)), 4};
    if (schema.type == "number") return {types_.Scalar(K::kDouble, Sized(schema, 0)), 1};
    if (schema.type == "integer") return {types_.Scalar(K::kInt, Sized(schema, 0)), 1};
    return {};
  }

 private:
  static cel::Declared Sized(const CustomSchema& schema, uint64_t max_size) {
    cel::Declared declared;
    declared.max_size = max_size;
    declared.nullable = schema.nullable;
    return declared;
  }

  static uint64_t MaxText(const CustomSchema& schema) {
    if (!schema.max_length) return kMaxText;
    return NotNegative(std::min(*schema.max_length, kMaxRequest)) * kTextBytes;
  }

  RuleType MakeText(const CustomSchema& schema) {
    if (schema.format == "byte") {
      const uint64_t max = schema.max_length ? NotNegative(*schema.max_length) : kMaxText;
      return {types_.Scalar(K::kBytes, Sized(schema, max)), 2};
    }
    if (schema.format == "duration") return {types_.Scalar(K::kDuration, Sized(schema, kMaxTime)), kMinDuration};
    if (schema.format == "date") return {types_.Scalar(K::kTimestamp, Sized(schema, kDate)), kDate};
    if (schema.format == "date-time") return {types_.Scalar(K::kTimestamp, Sized(schema, kMaxTime)), kMinTime};
    uint64_t max = MaxText(schema);
    if (!schema.max_length && !schema.enums.empty()) {
      max = 0;
      for (const json::Value& allowed : schema.enums) {
        if (allowed.IsString()) max = std::max<uint64_t>(max, allowed.AsString().size());
      }
    }
    return {types_.Scalar(K::kString, Sized(schema, max)), 2};
  }

  RuleType MakeList(const CustomSchema& schema) {
    if (schema.items == nullptr) return {};
    const RuleType item = Make(*schema.items, schema.items->embedded_resource);
    if (item.type == nullptr) return {};
    cel::Declared declared = Sized(schema, NotNegative(schema.max_items.value_or((kMaxRequest - 2) / (item.min_size + 1))));
    if (schema.list_type == "set") declared.rule = cel::ListRule::kSet;
    if (schema.list_type == "map") {
      declared.rule = cel::ListRule::kMap;
      for (const std::string& key : schema.list_keys) {
        std::string name;
        declared.keys.push_back(types_.Keep(cel::EscapeField(key, &name) ? name : key));
      }
    }
    return {types_.List(item.type, std::move(declared)), 2};
  }

  RuleType MakeMap(const CustomSchema& schema) {
    const RuleType value = Make(*schema.additional_schema, schema.additional_schema->embedded_resource);
    if (value.type == nullptr) return {};
    const int64_t max = schema.max_properties.value_or((kMaxRequest - 2) / (value.min_size + 6));
    return {types_.Map(value.type, Sized(schema, NotNegative(max))), 2};
  }

  RuleType MakeObject(const CustomSchema& schema, bool resource) {
    cel::Declared declared = Sized(schema, 0);
    int64_t min_size = 2;
    for (const CustomSchema::Property& property : schema.properties) {
      if (resource && IsMeta(property.name)) continue;
      const RuleType type = Make(*property.schema, property.schema->embedded_resource);
      if (type.type == nullptr) continue;
      AddField(declared, property.name, type.type);
      if (schema.Requires(property.name) && property.schema->default_value.IsNull()) {
        min_size += static_cast<int64_t>(property.name.size()) + type.min_size + 4;
      }
    }
    if (resource) AddMeta(schema, declared);
    return {types_.Object(std::move(declared)), min_size};
  }

  static bool IsMeta(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

  // In metadata, rules see only the names, with what the schema says about them.
  void AddMeta(const CustomSchema& schema, cel::Declared& declared) {
    const auto text = [&](const CustomSchema* described) {
      cel::Declared plain;
      plain.max_size = kMaxText;
      return described != nullptr && described->type == "string" ? Make(*described, false).type
                                                                 : types_.Scalar(K::kString, std::move(plain));
    };
    AddField(declared, "apiVersion", text(schema.Find("apiVersion")));
    AddField(declared, "kind", text(schema.Find("kind")));
    const CustomSchema* const metadata = schema.Find("metadata");
    cel::Declared names;
    for (const std::string_view name : {"generateName", "name"}) {
      AddField(names, name, text(metadata != nullptr ? metadata->Find(name) : nullptr));
    }
    AddField(declared, "metadata", types_.Object(std::move(names)));
  }

  void AddField(cel::Declared& declared, std::string_view key, const cel::Type* type) {
    std::string name;
    if (!cel::EscapeField(key, &name)) return;
    declared.fields.push_back({types_.Keep(std::move(name)), types_.Keep(std::string(key)), type});
  }

  cel::ObjectTypes& types_;
};

}  // namespace

RuleType MakeRuleType(cel::ObjectTypes& types, const CustomSchema& schema, bool resource) { return Maker(types).Make(schema, resource); }

}  // namespace allot::apiserver
