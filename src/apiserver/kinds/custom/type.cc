#include "apiserver/kinds/custom/type.h"

#include "json/json.h"

namespace allot::apiserver {
namespace {

using Additional = CustomSchema::Additional;

class Maker {
 public:
  explicit Maker(Schema& schema) : schema_(schema) {
    string_ = Scalar(Shape::kString);
    nothing_ = Added(OfShape(Shape::kStruct));
  }

  // `resource`: an object with apiVersion, kind and metadata. `keep`: the enclosing part preserves unknown fields.
  const Type* Make(const CustomSchema& schema, bool resource, bool keep, std::string_view name = "") {
    keep = keep || schema.preserve_unknown;
    if (resource) return MakeStruct(schema, true, keep, name);
    if (schema.int_or_string) return Scalar(Shape::kIntOrString);
    if (schema.type == "array" && schema.items != nullptr) {
      Type list = OfShape(Shape::kList);
      // If a list preserves unknown fields, so do its items, but not the parts below them.
      list.element = Make(*schema.items, schema.items->embedded_resource, schema.preserve_unknown);
      list.merge = schema.list_type == "set" ? Merge::kSet : schema.list_type == "map" ? Merge::kMap : Merge::kAtomic;
      if (list.merge == Merge::kMap) list.keys = schema.list_keys;
      return Added(std::move(list));
    }
    if (schema.type == "boolean") return Scalar(Shape::kBool);
    if (schema.type == "integer") return Scalar(schema.format == "int32" ? Shape::kInt32 : Shape::kInt64);
    if (schema.type == "number") return Scalar(Shape::kDouble);
    if (schema.type == "string") return Scalar(Shape::kString);
    if (schema.properties.empty()) {
      if (keep) return Scalar(Shape::kAny);
      if (schema.additional == Additional::kSchema || schema.additional == Additional::kAllowed) return MakeMap(schema);
    }
    return MakeStruct(schema, false, keep, name);
  }

 private:
  static Type OfShape(Shape shape) {
    Type type;
    type.shape = shape;
    return type;
  }
  const Type* Added(Type type) {
    type.Index();
    return schema_.Add(std::move(type));
  }
  const Type* Scalar(Shape shape) { return Added(OfShape(shape)); }

  const Type* MakeMap(const CustomSchema& schema) {
    Type map = OfShape(Shape::kMap);
    map.atomic = schema.map_type == "atomic";
    const CustomSchema* const below = schema.additional_schema.get();
    map.element = below == nullptr ? nothing_ : Make(*below, below->embedded_resource, false);
    return Added(std::move(map));
  }

  const Type* MakeStruct(const CustomSchema& schema, bool resource, bool keep, std::string_view name) {
    Type type = OfShape(Shape::kStruct);
    type.name = name;
    type.description = schema.description;
    type.keep_unknown = keep || (schema.additional == Additional::kAllowed && !schema.properties.empty());
    type.atomic = schema.map_type == "atomic";
    if (resource) {
      type.fields.push_back(MakeField("apiVersion", string_));
      type.fields.push_back(MakeField("kind", string_));
      const Type* const metadata = Schema::BuiltIn().Find("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
      type.fields.push_back(MakeField("metadata", metadata != nullptr ? metadata : Scalar(Shape::kAny)));
    }
    for (const CustomSchema::Property& property : schema.properties) {
      const bool own = resource && (property.name == "apiVersion" || property.name == "kind" || property.name == "metadata");
      if (!own) type.fields.push_back(MakeField(schema, property));
    }
    return Added(std::move(type));
  }

  static Field MakeField(std::string_view name, const Type* type) {
    Field field;
    field.name = name;
    field.type = type;
    field.merge = Merge::kGranular;
    return field;
  }

  Field MakeField(const CustomSchema& object, const CustomSchema::Property& property) {
    const CustomSchema& schema = *property.schema;
    Field field = MakeField(property.name, Make(schema, schema.embedded_resource, false));
    field.required = object.Requires(property.name);
    field.description = schema.description;
    if (!schema.default_value.IsNull()) field.default_value = json::Write(schema.default_value);
    if (field.type->shape == Shape::kList) {
      field.merge = field.type->merge;
      field.keys = field.type->keys;
    } else if (schema.map_type == "atomic") {
      field.merge = Merge::kAtomic;
    }
    return field;
  }

  Schema& schema_;
  const Type* string_ = nullptr;
  const Type* nothing_ = nullptr;  // objects that lose all their fields
};

}  // namespace

CustomType MakeCustomType(const CustomSchema& schema, std::string_view name) {
  auto owner = std::make_shared<Schema>();
  const Type* const type = Maker(*owner).Make(schema, true, false, name);
  return {std::move(owner), type};
}

}  // namespace allot::apiserver
