#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/definition.h"
#include "apiserver/kinds/custom/definition_rules.h"
#include "apiserver/kinds/custom/members.h"
#include "apiserver/kinds/custom/structural.h"
#include "base/strings.h"

namespace allot::apiserver {
namespace {

uint64_t Times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// What a part of a schema inherits from the enclosing parts.
struct Around {
  bool defaults = true;                // whether it may have a default
  std::string_view no_defaults;        // why not
  bool in_meta = false;                // inside apiVersion, kind or metadata
  const CustomSchema* read = nullptr;  // nullptr: rules are not checked
  std::optional<uint64_t> count = 1;   // how often the part can occur in one object; nullopt: unbounded
  std::string uncorrelated;            // the enclosing part whose old and new items cannot be matched; empty: none
};

class Walker {
 public:
  explicit Walker(FieldErrors& errors) : errors_(errors) {}

  // Adds the errors of rules after all others.
  void Finish(const FieldPath& field) { rules_.Finish(field, errors_); }

  void Visit(const Value& schema, const FieldPath& field, const Around& around, bool root) {
    if (!schema.IsObject()) return;
    const size_t before = errors_.size();
    CheckUnsupported(schema, field, around);
    VisitMembers(schema, field, around, root);
    VisitClauses(schema, field, around);
    VisitItems(schema, field, around);
    CheckExtensions(schema, field);
    CheckListKeys(schema, field);
    const Value& rules = schema["x-kubernetes-validations"];
    const FieldPath rules_field = field.Child("x-kubernetes-validations");
    CheckRuleTexts(rules, around.read, rules_field, errors_);
    if (errors_.size() == before && around.read != nullptr && !around.read->rules.empty()) {
      rules_.Check(rules, {*around.read, root || around.read->embedded_resource, around.count, around.uncorrelated}, rules_field);
    }
  }

 private:
  void CheckUnsupported(const Value& schema, const FieldPath& field, const Around& around) {
    const std::string_view type = json::TextOf(schema["type"]);
    static constexpr std::array<std::string_view, 6> kTypes = {"array", "boolean", "integer", "number", "object", "string"};
    if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      errors_.NotSupported(field.Child("type"), type, kTypes);
    }
    if (!schema["default"].IsNull() && !around.defaults) {
      errors_.Forbidden(field.Child("default"), StrCat("must not be set", around.no_defaults.empty() ? "" : " ", around.no_defaults));
    }
    for (const std::string_view key : {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      if (!schema[key].IsNull()) errors_.Forbidden(field.Child(key), StrCat(key, " is not supported"));
    }
    if (type == "null") errors_.Forbidden(field.Child("type"), "type cannot be set to null, use nullable as an alternative");
    if (schema["items"].IsArray()) errors_.Forbidden(field.Child("items"), "items must be a schema object and not an array");
    if (around.in_meta && json::IsTrue(schema["x-kubernetes-embedded-resource"])) {
      errors_.Forbidden(field.Child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta");
    }
    if (json::IsTrue(schema["uniqueItems"])) {
      errors_.Forbidden(field.Child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
  }

  // Returns how often each child can occur, given how often this part can.
  static std::optional<uint64_t> CountBelow(const Around& around) {
    if (around.read == nullptr || !around.count) return std::nullopt;
    const CustomSchema& schema = *around.read;
    const bool map = schema.type == "object" && schema.additional != CustomSchema::Additional::kUnset;
    if (!map && schema.type != "array") return around.count;
    const std::optional<int64_t> max = map ? schema.max_properties : schema.max_items;
    if (!max) return std::nullopt;
    return Times(*around.count, static_cast<uint64_t>(std::max<int64_t>(0, *max)));
  }

  void VisitMembers(const Value& schema, const FieldPath& field, const Around& around, bool root) {
    const Value& additional = schema["additionalProperties"];
    const auto properties = json::MembersOf(schema["properties"]);
    if (!additional.IsNull() && !properties.empty() && !json::IsTrue(additional)) {
      errors_.Forbidden(field.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive");
    }
    Around below = around;
    below.count = CountBelow(around);
    if (additional.IsObject()) {
      Around values = below;
      values.read = around.read == nullptr ? nullptr : around.read->additional_schema.get();
      if (around.in_meta) Forbid(values, "inside additionalProperties applying to object metadata");
      Visit(additional, field.Child("additionalProperties"), values, false);
    }
    const bool resource = root || json::IsTrue(schema["x-kubernetes-embedded-resource"]);
    const std::string_view map_type = json::TextOf(schema["x-kubernetes-map-type"]);
    for (const json::Member& property : properties) {
      Around part = below;
      part.read = around.read == nullptr ? nullptr : around.read->Find(property.key);
      if (!map_type.empty() && map_type != "granular" && map_type != "atomic") Uncorrelate(part, field);
      std::string why;
      if (resource && (property.key == "metadata" || property.key == "kind" || property.key == "apiVersion")) {
        part.in_meta = true;
        why = StrCat("in top-level ", property.key);
        if (root) Forbid(part, why);
      }
      Visit(property.value, field.Child("properties").Key(property.key), part, false);
    }
  }

  static void Forbid(Around& part, std::string_view why) {
    part.defaults = false;
    part.no_defaults = why;
  }
  static void Uncorrelate(Around& part, const FieldPath& field) {
    if (part.uncorrelated.empty()) part.uncorrelated = field.text();
  }

  void VisitClauses(const Value& schema, const FieldPath& field, const Around& around) {
    Around clause = around;
    clause.read = nullptr;
    Visit(schema["not"], field.Child("not"), clause, false);
    for (const std::string_view key : {"allOf", "oneOf", "anyOf"}) {
      const auto items = json::ItemsOf(schema[key]);
      for (size_t i = 0; i < items.size(); ++i) Visit(items[i], field.Child(key).Index(i), clause, false);
    }
  }

  void VisitItems(const Value& schema, const FieldPath& field, const Around& around) {
    Around item = around;
    item.count = CountBelow(around);
    item.read = around.read == nullptr ? nullptr : around.read->items.get();
    if (json::TextOf(schema["x-kubernetes-list-type"]) != "map") Uncorrelate(item, field);
    Visit(schema["items"], field.Child("items"), item, false);
  }

  void CheckExtensions(const Value& schema, const FieldPath& field) {
    const std::string_view type = json::TextOf(schema["type"]);
    const auto needs_type = [&](std::string_view key, std::string_view wanted) {
      const std::string rule = StrCat("must be ", wanted, " if ", key, " is specified");
      if (schema[key].IsNull() || type == wanted) return;
      type.empty() ? errors_.Required(field.Child("type"), rule) : errors_.Invalid(field.Child("type"), type, rule);
    };
    const Value& preserve = schema["x-kubernetes-preserve-unknown-fields"];
    if (preserve.IsBool() && !preserve.AsBool()) {
      errors_.Invalid(field.Child("x-kubernetes-preserve-unknown-fields"), preserve, "must be true or undefined");
    }
    needs_type("x-kubernetes-map-type", "object");
    const std::string_view map_type = json::TextOf(schema["x-kubernetes-map-type"]);
    if (!schema["x-kubernetes-map-type"].IsNull() && map_type != "atomic" && map_type != "granular") {
      errors_.NotSupported(field.Child("x-kubernetes-map-type"), map_type, {"atomic", "granular"});
    }
    needs_type("x-kubernetes-list-type", "array");
    const std::string_view list_type = json::TextOf(schema["x-kubernetes-list-type"]);
    if (type == "array" && list_type == "set") CheckSetItems(schema["items"], field.Child("items"));
    if (!schema["x-kubernetes-list-type"].IsNull() && list_type != "atomic" && list_type != "set" && list_type != "map") {
      errors_.NotSupported(field.Child("x-kubernetes-list-type"), list_type, {"atomic", "set", "map"});
    }
    if ((list_type == "set" || list_type == "map") && json::IsTrue(schema["items"]["nullable"])) {
      errors_.Forbidden(field.Child("items").Child("nullable"), StrCat("cannot be nullable when x-kubernetes-list-type is ", list_type));
    }
  }

  void CheckSetItems(const Value& items, const FieldPath& field) {
    constexpr std::string_view kRule = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const std::string_view type = json::TextOf(items["type"]);
    const Value& list_type = items["x-kubernetes-list-type"];
    if (type == "array" && !list_type.IsNull() && json::TextOf(list_type) != "atomic") {
      errors_.Invalid(field.Child("x-kubernetes-list-type"), list_type, kRule);
    }
    if (type == "object" && json::TextOf(items["x-kubernetes-map-type"]) != "atomic") {
      errors_.Invalid(field.Child("x-kubernetes-map-type"), items["x-kubernetes-map-type"], kRule);
    }
  }

  void CheckListKeys(const Value& schema, const FieldPath& field) {
    const Value& keys = schema["x-kubernetes-list-map-keys"];
    const Value& list_type = schema["x-kubernetes-list-type"];
    const FieldPath keys_field = field.Child("x-kubernetes-list-map-keys"), items_field = field.Child("items");
    if (!json::ItemsOf(keys).empty() && json::TextOf(list_type) != "map") {
      constexpr std::string_view kRule = "must be map if x-kubernetes-list-map-keys is non-empty";
      const FieldPath at = field.Child("x-kubernetes-list-type");
      list_type.IsNull() ? errors_.Required(at, kRule) : errors_.Invalid(at, list_type, kRule);
    }
    if (json::TextOf(list_type) != "map") return;
    if (json::ItemsOf(keys).empty()) errors_.Required(keys_field, "must not be empty if x-kubernetes-list-type is map");
    const Value& items = schema["items"];
    if (items.IsNull()) errors_.Required(items_field, "must have a schema if x-kubernetes-list-type is map");
    if (items.IsArray()) errors_.Invalid(items_field, items, "must only have a single schema if x-kubernetes-list-type is map");
    if (!items.IsObject()) return;
    if (json::TextOf(items["type"]) != "object") {
      errors_.Invalid(items_field.Child("type"), json::TextOf(items["type"]),
                      "must be object if parent array's x-kubernetes-list-type is map");
      return;
    }
    const SortedMembers properties(&items["properties"]);
    std::set<std::string_view> required, seen;
    for (const Value& name : json::ItemsOf(items["required"])) required.insert(json::TextOf(name));
    for (const Value& item : json::ItemsOf(keys)) {
      const std::string_view key = json::TextOf(item);
      const Value* const property = properties.Find(key);
      if (property == nullptr) {
        errors_.Invalid(keys_field, keys, "entries must all be names of item properties");
      } else {
        CheckListKey(*property, required.contains(key), items_field.Child("properties").Key(key));
      }
      if (!seen.insert(key).second) errors_.Invalid(keys_field, keys, "must not contain duplicate entries");
    }
  }

  void CheckListKey(const Value& property, bool required, const FieldPath& at) {
    if (const std::string_view type = json::TextOf(property["type"]); type == "array" || type == "object") {
      errors_.Invalid(at.Child("type"), "object", "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    if (!required && property["default"].IsNull()) {
      errors_.Required(at.Child("default"),
                       "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
    }
    if (json::IsTrue(property["nullable"])) {
      errors_.Forbidden(at.Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }

  FieldErrors& errors_;
  DefinitionRules rules_;
};

// With a status subresource, status is validated separately, so keywords at the root that would be lost are rejected.
void CheckRootFields(const Value& schema, const FieldPath& field, FieldErrors& errors) {
  static constexpr std::array<std::string_view, 22> kAllowed = {"description",
                                                                "type",
                                                                "format",
                                                                "title",
                                                                "maximum",
                                                                "exclusiveMaximum",
                                                                "minimum",
                                                                "exclusiveMinimum",
                                                                "maxLength",
                                                                "minLength",
                                                                "pattern",
                                                                "maxItems",
                                                                "minItems",
                                                                "uniqueItems",
                                                                "multipleOf",
                                                                "required",
                                                                "items",
                                                                "properties",
                                                                "externalDocs",
                                                                "example",
                                                                "x-kubernetes-preserve-unknown-fields",
                                                                "x-kubernetes-validations"};
  const std::string_view type = json::TextOf(schema["type"]);
  if (!type.empty() && type != "object") {
    errors.Invalid(field.Child("type"), type,
                   "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled");
    return;
  }
  for (const json::Member& member : json::MembersOf(schema)) {
    const bool empty = member.value.IsNull() || (member.value.IsBool() && !member.value.AsBool());
    if (empty || std::find(kAllowed.begin(), kAllowed.end(), member.key) != kAllowed.end()) continue;
    std::vector<std::string> names(kAllowed.begin(), kAllowed.end());
    errors.Invalid(
        field, schema,
        StrCat("only [", Join(names, " "), "] fields are allowed at the root of the schema if the status subresource is enabled"));
    return;
  }
}

}  // namespace

void ValidateDefinitionSchema(const Value& schema, bool status, const FieldPath& field, FieldErrors& errors) {
  if (!schema.IsObject()) return;
  const size_t before = errors.size();
  if (status) CheckRootFields(schema, field, errors);
  if (json::IsTrue(schema["nullable"])) errors.Forbidden(field.Child("nullable"), "nullable cannot be true at the root");

  Around around;
  std::shared_ptr<const CustomSchema> read;
  const std::string unsupported = FindUnsupported(schema);
  if (unsupported.empty()) {
    FieldErrors found;
    ValidateStructural(schema, field, found);
    read = ReadCustomSchema(schema);
    if (found.empty()) ValidateSchemaDefaults(*read, field, found);
    // Check rules only if the rest is valid: their types come from it.
    if (found.empty()) around.read = read.get();
    for (const FieldError& error : found.all()) errors.Add(error.reason, FieldPath(std::string_view(error.field)), error.message);
  }
  Walker walker(errors);
  walker.Visit(schema, field, around, true);
  walker.Finish(field);
  if (errors.size() == before && !unsupported.empty()) errors.Invalid(field, "", unsupported);
}

}  // namespace allot::apiserver
