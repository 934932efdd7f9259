#pragma once
// The schema of a custom kind: OpenAPI v3 with Kubernetes' extensions, read once from its definition.
//
// Reading never fails: invalid parts are left out. A definition's schema is validated before it is stored (custom_structural.h,
// custom_definition.h).
//
// One schema has four forms. The first is stored; the others are made when its version is first served (KindsOf, custom_kind.h), the last
// two from CustomSchema:
//
// - The definition's JSON is what was submitted. Only the rules for definitions read it (custom_definition*, custom_structural.h).
// - CustomSchema is everything that the schema says about a value. Defaults (custom_default.h) and validation (custom_validate.h with
//   custom_formats.h, custom_numbers.h and custom_list_types.h) use it.
// - Type (schema/type.h, made by custom_type.h) has the fields and how writers' values are merged, as for built-in kinds, without limits
//   and formats. Pruning (custom_prune.h), patches, server-side apply and OpenAPI use it.
// - cel::Type (made by custom_rule_type.cc) is what expressions see of a value, and how large it may be. Only the rules of
//   x-kubernetes-validations use it (custom_rules.h, custom_definition_rules.h).
//
// To support another extension of the schema, add a member here and a rule for definitions beside the others. Add it to Type only if
// pruning or merging depends on it, and to cel::Type only if expressions do.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/library/regex.h"
#include "json/value.h"

namespace allot::apiserver {

// An entry of x-kubernetes-validations.
struct CustomRule {
  std::string rule, message, message_expression, field_path;
  std::string reason;  // "FieldValueRequired", ...; empty: FieldValueInvalid
  bool optional_old_self = false;
};

struct CustomSchema {
  using Ptr = std::unique_ptr<const CustomSchema>;
  struct Property;

  std::string type;  // "object", "array", "string", "integer", "number", "boolean"; empty: anything
  std::string description;
  std::string format;  // as written; HasFormat (custom_formats.h) says which are checked
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown = false;
  bool embedded_resource = false;
  json::Value default_value;  // null: none

  std::vector<json::Value> enums;
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::optional<int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  std::string pattern;
  std::unique_ptr<const cel::Regex> regex;  // compiled pattern; nullptr: none, or invalid

  std::vector<std::string> required;  // sorted
  std::vector<Property> properties;   // sorted by name
  Ptr items;
  enum class Additional : uint8_t { kUnset, kForbidden, kAllowed, kSchema } additional = Additional::kUnset;
  Ptr additional_schema;  // kSchema

  std::vector<Ptr> all_of, any_of, one_of;
  Ptr none_of;  // the schema's `not`

  std::string list_type, map_type;     // empty: not set
  std::vector<std::string> list_keys;  // for list_type "map"
  std::vector<CustomRule> rules;

  bool Requires(std::string_view property) const;
  // Returns nullptr if there is no such property.
  const CustomSchema* Find(std::string_view property) const;
  // Returns the schema of a member: its property, else the additional schema, else nullptr.
  const CustomSchema* Member(std::string_view name) const;
};

struct CustomSchema::Property {
  std::string name;
  Ptr schema;
};

// Reads the schema and copies what it needs. A value that is not an object gives a schema that allows anything.
std::shared_ptr<const CustomSchema> ReadCustomSchema(const json::Value& schema);

}  // namespace allot::apiserver
