#include "apiserver/kinds/custom/list_types.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/names.h"
#include "base/strings.h"
#include "json/jsonpath.h"

namespace allot::apiserver {
namespace {

// Returns equal text for equal JSON.
std::string Canonical(const Value& value) { return value.IsString() ? json::Write(value) : json::OneValue(value); }

// Calls report(i) for the first repetition of each text.
template <typename Report>
void FindRepeated(const std::vector<std::string>& texts, Report report) {
  std::unordered_map<std::string_view, size_t> seen;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (++seen[texts[i]] == 2) report(i);
  }
}

void CheckSet(const Value& list, const FieldPath& field, FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const Value& item : list.Items()) texts.push_back(Canonical(item));
  FindRepeated(texts, [&](size_t i) { errors.Duplicate(field.Index(i), list.Items()[i]); });
}

void CheckMap(const CustomSchema& schema, const Value& list, const FieldPath& field, FieldErrors& errors) {
  const auto items = list.Items();
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].IsNull() || items[i].IsObject()) continue;
    errors.Invalid(field.Index(i), items[i], "must be an object for an array of list-type map");
    return;
  }
  std::vector<std::string> keys;
  for (const Value& item : items) {
    std::vector<std::string> parts;
    for (const std::string& key : schema.list_keys) {
      const Value* const value = item.IsObject() ? item.Find(key) : nullptr;
      if (value != nullptr) parts.push_back(StrCat(Quoted(key, key.size()), ":", Canonical(*value)));
    }
    std::sort(parts.begin(), parts.end());
    keys.push_back(StrCat("{", Join(parts, ","), "}"));
  }
  FindRepeated(keys, [&](size_t i) { errors.Add("FieldValueDuplicate", field.Index(i), StrCat("Duplicate value: ", keys[i])); });
}

void CheckText(const Value& object, std::string_view key, const FieldPath& field, FieldErrors& errors) {
  const Value* const value = object.Find(key);
  if (value == nullptr) {
    errors.Required(field.Child(key));
  } else if (!value->IsString()) {
    errors.Invalid(field.Child(key), *value, "must be a string");
  } else if (value->AsString().empty()) {
    errors.Invalid(field.Child(key), *value, "must not be empty");
  } else if (key == "kind") {
    const std::string problems = NameProblems("dns1035Label", LowerCase(value->AsString()));
    if (!problems.empty()) errors.Invalid(field.Child(key), *value, StrCat("may have mixed case, but should otherwise match: ", problems));
  } else if (std::count(value->AsString().begin(), value->AsString().end(), '/') > 1) {
    errors.Invalid(field.Child(key), *value, StrCat("unexpected GroupVersion string: ", value->AsString()));
  }
}

void CheckLabels(const Value& labels, const FieldPath& field, bool values, FieldErrors& errors) {
  for (const json::Member& member : json::MembersOf(labels)) {
    const std::string key = NameProblems("qualifiedName", values ? std::string(member.key) : LowerCase(member.key));
    if (!key.empty()) errors.Invalid(field, member.key, key);
    const std::string value = values && member.value.IsString() ? NameProblems("labelValue", member.value.AsString()) : "";
    if (!value.empty()) errors.Invalid(field, member.value, value);
  }
}

void CheckMetadata(const Value& object, const FieldPath& field, FieldErrors& errors) {
  const Value* const metadata = object.Find("metadata");
  if (metadata == nullptr) return;
  if (!metadata->IsObject()) {
    errors.Invalid(field, *metadata, "must be an object");
    return;
  }
  for (const std::string_view key : {"name", "generateName"}) {
    const std::string_view name = json::TextOf((*metadata)[key]);
    if (key == "name" && (name == "." || name == "..")) errors.Invalid(field.Child(key), name, StrCat("may not be '", name, "'"));
    for (const char c : {'/', '%'}) {
      if (name.find(c) != std::string_view::npos) errors.Invalid(field.Child(key), name, StrCat("may not contain '", c, "'"));
    }
  }
  const std::string_view space = json::TextOf((*metadata)["namespace"]);
  const std::string problems = space.empty() ? "" : NameProblems("dns1123Label", space);
  if (!problems.empty()) errors.Invalid(field.Child("namespace"), space, problems);
  CheckLabels((*metadata)["labels"], field.Child("labels"), true, errors);
  CheckLabels((*metadata)["annotations"], field.Child("annotations"), false, errors);
}

// Calls visit(schema, value, field) for each part of the value that the schema describes.
template <typename Visit>
void ForEachPart(const CustomSchema& schema, const Value& value, const FieldPath& field, Visit visit) {
  if (value.IsArray() && schema.items != nullptr) {
    const auto items = value.Items();
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].IsArray() || items[i].IsObject()) visit(*schema.items, items[i], field.Index(i));
    }
  }
  for (const json::Member& member : json::MembersOf(value)) {
    const CustomSchema* const described = schema.Member(member.key);
    if (described == nullptr || !(member.value.IsArray() || member.value.IsObject())) continue;
    visit(*described, member.value, schema.Find(member.key) != nullptr ? field.Child(member.key) : field.Key(member.key));
  }
}

}  // namespace

void ValidateListTypes(const CustomSchema& schema, const Value& value, const FieldPath& field, FieldErrors& errors) {
  if (value.IsArray() && schema.list_type == "set") CheckSet(value, field, errors);
  if (value.IsArray() && schema.list_type == "map") CheckMap(schema, value, field, errors);
  ForEachPart(schema, value, field, [&](const CustomSchema& part_schema, const Value& part, const FieldPath& at) {
    ValidateListTypes(part_schema, part, at, errors);
  });
}

void ValidateEmbedded(const CustomSchema& schema, const Value& value, const FieldPath& field, FieldErrors& errors, bool resource) {
  if ((schema.embedded_resource || resource) && value.IsObject()) {
    CheckText(value, "apiVersion", field, errors);
    CheckText(value, "kind", field, errors);
    CheckMetadata(value, field.Child("metadata"), errors);
  }
  ForEachPart(schema, value, field, [&](const CustomSchema& part_schema, const Value& part, const FieldPath& at) {
    ValidateEmbedded(part_schema, part, at, errors);
  });
}

}  // namespace allot::apiserver
