#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/definition.h"
#include "apiserver/kinds/custom/list_types.h"
#include "apiserver/kinds/custom/rules.h"
#include "apiserver/kinds/custom/validate.h"

namespace allot::apiserver {
namespace {

bool IsMeta(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

// Whether pruning would leave the value unchanged. `schema` is nullptr for a part that is not described.
bool IsPruned(const CustomSchema* schema, const Value& value, bool resource = false) {
  if (value.IsArray()) {
    for (const Value& item : value.Items()) {
      if (!IsPruned(schema != nullptr ? schema->items.get() : nullptr, item)) return false;
    }
    return true;
  }
  if (!value.IsObject()) return true;
  for (const json::Member& member : value.Members()) {
    if (schema == nullptr) return false;
    if ((schema->embedded_resource || resource) && IsMeta(member.key)) continue;
    const bool any = schema->additional != CustomSchema::Additional::kUnset;
    if (schema->Find(member.key) == nullptr && !any) {
      if (schema->preserve_unknown) continue;
      return false;
    }
    if (!IsPruned(schema->Member(member.key), member.value)) return false;
  }
  return true;
}

class Defaults {
 public:
  explicit Defaults(FieldErrors& errors) : errors_(errors) {}

  // `resource`: an object with apiVersion, kind and metadata. `in_meta`: a part of these.
  void Visit(const CustomSchema& schema, const FieldPath& field, bool resource, bool in_meta) {
    in_meta = in_meta && !resource;
    if (!schema.default_value.IsNull()) Check(schema, field.Child("default"), resource, in_meta);
    if (budget_ < 0) return;
    // additionalProperties cannot contain defaults.
    if (schema.items != nullptr) Visit(*schema.items, field.Child("items"), schema.items->embedded_resource, in_meta);
    for (const CustomSchema::Property& property : schema.properties) {
      const bool meta = in_meta || (resource && IsMeta(property.name));
      Visit(*property.schema, field.Child("properties").Key(property.name), property.schema->embedded_resource, meta);
    }
  }

 private:
  void Check(const CustomSchema& schema, const FieldPath& field, bool resource, bool in_meta) {
    const Value& value = schema.default_value;
    if (!in_meta && !IsPruned(&schema, value, resource)) errors_.Invalid(field, value, "must not have unknown fields");
    const size_t before = errors_.size();
    ValidateEmbedded(schema, value, field, errors_, resource);
    if (errors_.size() > before) return;
    ValidateBySchema(schema, value, nullptr, field, errors_);
    if (errors_.size() > before) return;
    const auto rules = CustomRules::Compile(schema, resource);
    if (rules == nullptr) return;
    rules->Validate(value, &value, field, errors_, budget_);
    if (errors_.size() == before && budget_ >= 0) rules->Validate(value, nullptr, field, errors_, budget_);
  }

  FieldErrors& errors_;
  int64_t budget_ = kRuleBudget;
};

}  // namespace

void ValidateSchemaDefaults(const CustomSchema& schema, const FieldPath& field, FieldErrors& errors) {
  Defaults(errors).Visit(schema, field, true, false);
}

}  // namespace allot::apiserver
