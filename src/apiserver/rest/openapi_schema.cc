#include "apiserver/rest/openapi_schema.h"

#include <algorithm>

#include "apiserver/json_names.h"
#include "apiserver/rest/openapi_words.h"
#include "base/strings.h"

namespace allot::apiserver {

namespace {

constexpr int kMaxDepth = 128;  // of nested types without a name

// "com.example.x.v1.Thing" for x.example.com/v1, "io.k8s.api.core.v1.Pod".
std::string NameOf(const Kind& kind) {
  if (kind.schema != nullptr && !kind.schema->name.empty()) return kind.schema->name;
  const std::string_view group = kind.type.group;
  if (!kind.custom) {
    return StrCat("io.k8s.api.", group.empty() ? "core" : group.substr(0, group.find('.')), ".", kind.type.version, ".", kind.type.kind);
  }
  std::string name;
  auto labels = Split(group, '.');
  std::reverse(labels.begin(), labels.end());
  for (const std::string_view label : labels) name += StrCat(label, ".");
  return StrCat(name, kind.type.version, ".", kind.type.kind);
}

// A named type is written once and referred to.
bool HasDefinition(const Type& type) { return !type.name.empty() && type.shape != Shape::kList && type.shape != Shape::kMap; }

struct Scalar {
  std::string_view type, format;
};

Scalar ScalarOf(Shape shape) {
  switch (shape) {
    case Shape::kBool: return {"boolean", ""};
    case Shape::kInt32: return {"integer", "int32"};
    case Shape::kInt64: return {"integer", "int64"};
    case Shape::kDouble: return {"number", "double"};
    case Shape::kBytes: return {"string", "byte"};
    case Shape::kTime:
    case Shape::kMicroTime: return {"string", "date-time"};
    default: return {"string", ""};
  }
}

}  // namespace

Value GroupVersionKind(json::Editor& edit, std::string_view group, std::string_view version, std::string_view kind) {
  return edit.Object({{"group", edit.Literal(group)}, {"kind", edit.Literal(kind)}, {"version", edit.Literal(version)}});
}

Value SchemaSet::Ref(std::string name, const Definition& definition) {
  const std::string_view prefix = version_ == OpenApiVersion::kV2 ? "#/definitions/" : "#/components/schemas/";
  const Value path = edit_.String(StrCat(prefix, name));
  if (!referred_.contains(name)) {
    waiting_.push_back(name);
    referred_.emplace(std::move(name), definition);
  }
  return edit_.Object({{"$ref", path}});
}

Value SchemaSet::RefToKind(const Kind& kind) { return Ref(NameOf(kind), {.type = kind.schema, .kind = &kind, .list_of = nullptr}); }

Value SchemaSet::RefToList(const Kind& kind) {
  const Type* type = kind.custom ? nullptr : Schema::BuiltIn().FindKind(kind.type.group, kind.type.version, kind.list_kind);
  if (type != nullptr) return RefTo(*type);
  return Ref(StrCat(NameOf(kind), "List"), {.type = nullptr, .kind = nullptr, .list_of = &kind});
}

Value SchemaSet::RefTo(const Type& type) { return Ref(type.name, {.type = &type, .kind = nullptr, .list_of = nullptr}); }

Value SchemaSet::RefTo(std::string_view built_in) {
  const Type* type = Schema::BuiltIn().Find(built_in);
  CHECK(type != nullptr);
  return RefTo(*type);
}

Value SchemaSet::Definitions() {
  std::map<std::string, Value, std::less<>> written;
  while (!waiting_.empty()) {
    const std::string name = std::move(waiting_.back());
    waiting_.pop_back();
    written[name] = Define(referred_.find(name)->second);
  }
  Members members;
  for (const auto& [name, schema] : written) members.push_back({edit_.CopyText(name), schema});
  return edit_.Object(members);
}

Value SchemaSet::Define(const Definition& definition) {
  if (definition.list_of != nullptr) return DefineList(*definition.list_of);
  const Type* type = definition.type;
  if (type != nullptr && type->shape != Shape::kStruct) return DefineValue(*type);
  Members members;
  if (type != nullptr) {
    const std::string_view words = type->description.empty() ? WordsOn(type->name) : type->description;
    if (!words.empty()) members.push_back({"description", edit_.Literal(words)});
  }
  members.push_back({"type", edit_.Literal("object")});
  if (type != nullptr) AddProperties(members, *type, definition.kind != nullptr || !type->kind.empty(), 0);
  if (type == nullptr) members.push_back({"x-kubernetes-preserve-unknown-fields", edit_.Bool(true)});
  if (type != nullptr && type->atomic) members.push_back({"x-kubernetes-map-type", edit_.Literal("atomic")});
  if (const Kind* kind = definition.kind) {
    AddKind(members, kind->type.group, kind->type.version, kind->type.kind);
  } else if (!type->kind.empty()) {
    AddKind(members, type->group, type->version, type->kind);
  }
  return edit_.Object(members);
}

Value SchemaSet::DefineList(const Kind& kind) {
  const Value text = edit_.Object({{"type", edit_.Literal("string")}});
  const Value items = edit_.Object({{"type", edit_.Literal("array")}, {"items", RefToKind(kind)}});
  Members members{{"type", edit_.Literal("object")},
                  {"required", edit_.Array({edit_.Literal("items")})},
                  {"properties", edit_.Object({{"apiVersion", text},
                                               {"items", items},
                                               {"kind", text},
                                               {"metadata", RefTo("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta")}})}};
  AddKind(members, kind.type.group, kind.type.version, kind.list_kind);
  return edit_.Object(members);
}

// Writes the schema of quantities, times, and types for any JSON.
Value SchemaSet::DefineValue(const Type& type) {
  Members members;
  if (const auto words = WordsOn(type.name); !words.empty()) members.push_back({"description", edit_.Literal(words)});
  const auto either = [&](std::string_view a, std::string_view b) {
    const Value both = edit_.Array({edit_.Object({{"type", edit_.Literal(a)}}), edit_.Object({{"type", edit_.Literal(b)}})});
    members.push_back({"oneOf", both});
  };
  const bool v3 = version_ == OpenApiVersion::kV3;  // version 2 has no oneOf
  if (type.shape == Shape::kIntOrString) {
    members.push_back({"format", edit_.Literal("int-or-string")});
    v3 ? either("integer", "string") : members.push_back({"type", edit_.Literal("string")});
  } else if (type.shape == Shape::kQuantity && v3) {
    either("string", "number");
  } else if (type.shape == Shape::kAny) {
    const bool object = type.name.ends_with(".RawExtension") || type.name.ends_with(".FieldsV1");
    if (object) members.push_back({"type", edit_.Literal("object")});
  } else {
    AddInline(members, type, 0);
  }
  return edit_.Object(members);
}

void SchemaSet::AddProperties(Members& to, const Type& type, bool is_kind, int depth) {
  // Clients of version 2 reject every field except the properties, so a type that preserves unknown fields must have none.
  if (type.keep_unknown && version_ == OpenApiVersion::kV2) {
    to.push_back({"x-kubernetes-preserve-unknown-fields", edit_.Bool(true)});
    return;
  }
  Members properties;
  std::vector<Value> required;
  for (const Field& field : type.fields) {
    std::string_view words = field.description.empty() ? WordsOn(type.name, field.name) : field.description;
    if (words.empty() && is_kind) words = WordsOnAnyKind(field.name);
    properties.push_back({field.name, Property(field, words, depth)});
    if (field.required) required.push_back(edit_.Literal(field.name));
  }
  std::sort(properties.begin(), properties.end(), [](const json::Member& a, const json::Member& b) { return a.key < b.key; });
  if (!required.empty()) to.push_back({"required", edit_.Array(required)});
  if (!properties.empty()) to.push_back({"properties", edit_.Object(properties)});
  if (type.keep_unknown) to.push_back({"x-kubernetes-preserve-unknown-fields", edit_.Bool(true)});
}

Value SchemaSet::Property(const Field& field, std::string_view description, int depth) {
  Members members;
  if (!description.empty()) members.push_back({"description", edit_.Literal(description)});
  Members rules;
  AddMergeRules(rules, field);
  if (!HasDefinition(*field.type)) {
    AddInline(members, *field.type, depth + 1);
  } else if (const Value ref = RefTo(*field.type); members.empty() && rules.empty()) {
    return ref;
  } else if (version_ == OpenApiVersion::kV3) {
    members.push_back({"allOf", edit_.Array({ref})});  // siblings of a reference are ignored
  } else {
    members.push_back(ref.Members()[0]);
  }
  members.insert(members.end(), rules.begin(), rules.end());
  return edit_.Object(members);
}

Value SchemaSet::Inline(const Type& type, int depth) {
  if (HasDefinition(type)) return RefTo(type);
  Members members;
  AddInline(members, type, depth);
  return edit_.Object(members);
}

void SchemaSet::AddInline(Members& to, const Type& type, int depth) {
  if (depth > kMaxDepth || type.shape == Shape::kAny) {
    to.push_back({"x-kubernetes-preserve-unknown-fields", edit_.Bool(true)});
    return;
  }
  switch (type.shape) {
    case Shape::kIntOrString: to.push_back({"x-kubernetes-int-or-string", edit_.Bool(true)}); return;
    case Shape::kStruct:
      to.push_back({"type", edit_.Literal("object")});
      AddProperties(to, type, false, depth);
      return;
    case Shape::kList:
      to.push_back({"type", edit_.Literal("array")});
      to.push_back({"items", Inline(*type.element, depth + 1)});
      return;
    case Shape::kMap:
      to.push_back({"type", edit_.Literal("object")});
      to.push_back({"additionalProperties", Inline(*type.element, depth + 1)});
      return;
    default: break;
  }
  const Scalar scalar = ScalarOf(type.shape);
  to.push_back({"type", edit_.Literal(scalar.type)});
  if (!scalar.format.empty()) to.push_back({"format", edit_.Literal(scalar.format)});
}

void SchemaSet::AddMergeRules(Members& to, const Field& field) {
  if (field.type->shape == Shape::kList) {
    if (field.merge == Merge::kMap) {
      std::vector<Value> keys;
      for (const std::string& key : field.keys) keys.push_back(edit_.Literal(key));
      to.push_back({"x-kubernetes-list-map-keys", edit_.Array(keys)});
    }
    const std::string_view rule = field.merge == Merge::kMap ? "map" : field.merge == Merge::kSet ? "set" : "atomic";
    to.push_back({"x-kubernetes-list-type", edit_.Literal(rule)});
  } else if ((field.type->shape == Shape::kMap || field.type->shape == Shape::kStruct) && field.merge == Merge::kAtomic &&
             !field.type->atomic) {
    to.push_back({"x-kubernetes-map-type", edit_.Literal("atomic")});
  }
  if (!field.patch_key.empty()) to.push_back({"x-kubernetes-patch-merge-key", edit_.Literal(field.patch_key)});
  if (field.patch_merge || field.patch_retain_keys) {
    const std::string_view strategy = !field.patch_retain_keys ? "merge" : field.patch_merge ? "merge,retainKeys" : "retainKeys";
    to.push_back({"x-kubernetes-patch-strategy", edit_.Literal(strategy)});
  }
}

void SchemaSet::AddKind(Members& to, std::string_view group, std::string_view version, std::string_view kind) {
  to.push_back({"x-kubernetes-group-version-kind", edit_.Array({GroupVersionKind(edit_, group, version, kind)})});
}

}  // namespace allot::apiserver
