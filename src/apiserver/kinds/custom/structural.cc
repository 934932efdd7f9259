#include "apiserver/kinds/custom/structural.h"

#include <algorithm>
#include <array>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/members.h"
#include "base/strings.h"
#include "cel/library/regex.h"

namespace allot::apiserver {
namespace {

std::string_view TypeOf(const Value& schema) { return json::TextOf(schema["type"]); }

// Matches [{type: integer}, {type: string}], the only anyOf that may have types, for int-or-string.
bool IsIntOrString(const Value& any_of) {
  const auto items = json::ItemsOf(any_of);
  const auto is = [](const Value& item, std::string_view type) { return json::MembersOf(item).size() == 1 && TypeOf(item) == type; };
  return items.size() == 2 && is(items[0], "integer") && is(items[1], "string");
}

class Structural {
 public:
  enum class Level { kRoot, kItem, kField };

  void Visit(const Value& schema, Level level, const FieldPath& field) {
    if (!schema.IsObject()) return;
    if (TypeOf(schema) == "array" && !schema["items"].IsObject()) errors_.Required(field.Child("items"), "must be specified");
    Visit(schema["items"], Level::kItem, field.Child("items"));
    for (const json::Member& property : json::MembersOf(schema["properties"])) {
      Visit(property.value, Level::kField, field.Child("properties").Key(property.key));
    }
    const Value& additional = schema["additionalProperties"];
    if (!additional.IsNull() && level == Level::kRoot)
      errors_.Forbidden(field.Child("additionalProperties"), "must not be used at the root");
    Visit(additional, Level::kField, field.Child("additionalProperties"));
    CheckExtensions(schema, field);
    CheckClauses(schema, IsIntOrString(schema["anyOf"]), field);
    CheckType(schema, level, field);
    CheckMeta(schema, level, field);
  }

  // Whatever the clauses of the root describe must also be described outside them.
  void CheckComplete(const Value& schema, const Value& clauses, const FieldPath& schema_field, const FieldPath& field) {
    const auto nested = [&](const Value& clause, const FieldPath& at) { CheckClauseComplete(schema, clause, schema_field, at); };
    if (clauses["not"].IsObject()) nested(clauses["not"], field.Child("not"));
    for (const std::string_view key : {"allOf", "anyOf", "oneOf"}) {
      const auto items = json::ItemsOf(clauses[key]);
      for (size_t i = 0; i < items.size(); ++i) nested(items[i], field.Child(key).Index(i));
    }
  }

  const FieldErrors& errors() const { return errors_; }

 private:
  void CheckExtensions(const Value& schema, const FieldPath& field) {
    if (!json::IsTrue(schema["x-kubernetes-int-or-string"])) return;
    for (const std::string_view key : {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (json::IsTrue(schema[key])) errors_.Invalid(field.Child(key), schema[key], "must be false if x-kubernetes-int-or-string is true");
    }
  }

  void CheckType(const Value& schema, Level level, const FieldPath& field) {
    const std::string_view type = TypeOf(schema);
    const bool embedded = json::IsTrue(schema["x-kubernetes-embedded-resource"]);
    const bool preserved = json::IsTrue(schema["x-kubernetes-preserve-unknown-fields"]);
    if (embedded && type != "object") {
      constexpr std::string_view kRule = "must be object if x-kubernetes-embedded-resource is true";
      type.empty() ? errors_.Required(field.Child("type"), kRule) : errors_.Invalid(field.Child("type"), type, kRule);
    } else if (type.empty() && !json::IsTrue(schema["x-kubernetes-int-or-string"]) && !preserved) {
      static constexpr std::array<std::string_view, 3> kWhere = {"at the root", "for specified array items", "for specified object fields"};
      errors_.Required(field.Child("type"), StrCat("must not be empty ", kWhere[static_cast<size_t>(level)]));
    }
    if (embedded && !schema["additionalProperties"].IsNull()) {
      errors_.Forbidden(field.Child("additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (level == Level::kRoot && !type.empty() && type != "object") {
      errors_.Invalid(field.Child("type"), type, "must be object at the root");
    }
    if (embedded && !preserved && json::MembersOf(schema["properties"]).empty()) {
      errors_.Required(field.Child("properties"),
                       "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
    }
  }

  void CheckMeta(const Value& schema, Level level, const FieldPath& field) {
    const Value& properties = schema["properties"];
    const bool resource = level == Level::kRoot || json::IsTrue(schema["x-kubernetes-embedded-resource"]);
    if (!resource || !properties.IsObject()) return;
    for (const std::string_view key : {"kind", "apiVersion"}) {
      if (properties.Find(key) != nullptr && TypeOf(properties[key]) != "string") {
        errors_.Invalid(field.Child("properties").Key(key).Child("type"), TypeOf(properties[key]), "must be string");
      }
    }
    const Value* const metadata = properties.Find("metadata");
    if (metadata == nullptr) return;
    const FieldPath at = field.Child("properties").Key("metadata");
    if (TypeOf(*metadata) != "object") errors_.Invalid(at.Child("type"), TypeOf(*metadata), "must be object");
    if (level == Level::kRoot && !HasNamesOnly(*metadata)) {
      errors_.Forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  static bool HasNamesOnly(const Value& metadata) {
    for (const json::Member& member : json::MembersOf(metadata)) {
      if (member.key == "type" || member.key == "default") continue;
      if (member.key != "properties") return false;
      for (const json::Member& property : json::MembersOf(member.value)) {
        if (property.key != "name" && property.key != "generateName") return false;
      }
    }
    return true;
  }

  void CheckClauses(const Value& schema, bool int_or_string, const FieldPath& field) {
    const auto visit = [&](std::string_view key, bool skip_first_any_of) {
      const auto items = json::ItemsOf(schema[key]);
      for (size_t i = 0; i < items.size(); ++i) CheckClause(items[i], skip_first_any_of && i == 0, field.Child(key).Index(i));
    };
    if (!int_or_string) visit("anyOf", false);
    const auto all_of = json::ItemsOf(schema["allOf"]);
    visit("allOf", !all_of.empty() && IsIntOrString(all_of[0]["anyOf"]));
    visit("oneOf", false);
    if (schema["not"].IsObject()) CheckClause(schema["not"], false, field.Child("not"));
    const std::string_view pattern = json::TextOf(schema["pattern"]);
    if (pattern.empty()) return;
    if (const auto regex = cel::Regex::Compile(pattern); !regex.ok()) {
      errors_.Invalid(field.Child("pattern"), pattern, StrCat("must be a valid regular expression, but isn't: ", regex.status().message()));
    }
  }

  // Checks a part of allOf, anyOf, oneOf or not.
  void CheckClause(const Value& clause, bool int_or_string, const FieldPath& field) {
    CheckClauses(clause, int_or_string, field);
    if (clause["items"].IsObject()) CheckClause(clause["items"], false, field.Child("items"));
    for (const json::Member& property : json::MembersOf(clause["properties"])) {
      CheckClause(property.value, false, field.Child("properties").Key(property.key));
    }
    const auto forbid = [&](std::string_view key, bool there, std::string_view rule) {
      if (there) errors_.Forbidden(field.Child(key), StrCat(rule, " to be structural"));
    };
    const Value& additional = clause["additionalProperties"];
    forbid("type", !TypeOf(clause).empty(), "must be empty");
    forbid("additionalProperties", additional.IsObject() || json::IsTrue(additional), "must be undefined");
    forbid("default", !clause["default"].IsNull(), "must be undefined");
    forbid("title", !json::TextOf(clause["title"]).empty(), "must be empty");
    forbid("description", !json::TextOf(clause["description"]).empty(), "must be empty");
    for (const std::string_view key :
         {"nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"}) {
      forbid(key, json::IsTrue(clause[key]), "must be false");
    }
    forbid("x-kubernetes-list-map-keys", !json::ItemsOf(clause["x-kubernetes-list-map-keys"]).empty(), "must be empty");
    forbid("x-kubernetes-list-type", !clause["x-kubernetes-list-type"].IsNull(), "must be undefined");
    forbid("x-kubernetes-map-type", !clause["x-kubernetes-map-type"].IsNull(), "must be undefined");
    forbid("x-kubernetes-validations", !json::ItemsOf(clause["x-kubernetes-validations"]).empty(), "must be empty");
    if (!clause["properties"]["metadata"].IsNull()) {
      errors_.Forbidden(field.Child("properties").Key("metadata"), "must not be specified in a nested context");
    }
  }

  void CheckClauseComplete(const Value& schema, const Value& clause, const FieldPath& schema_field, const FieldPath& field) {
    if (!clause.IsObject()) return;
    if (!schema.IsObject()) {
      errors_.Required(schema_field, StrCat("because it is defined in ", field.text()));
      return;
    }
    CheckComplete(schema, clause, schema_field, field);
    CheckClauseComplete(schema["items"], clause["items"], schema_field.Child("items"), field.Child("items"));
    const SortedMembers properties(&schema["properties"]);
    for (const json::Member& property : json::MembersOf(clause["properties"])) {
      const FieldPath at = schema_field.Child("properties").Key(property.key);
      const Value* const described = properties.Find(property.key);
      CheckClauseComplete(described != nullptr ? *described : Value(), property.value, at, field.Child("properties").Key(property.key));
    }
  }

  FieldErrors errors_;
};

}  // namespace

void ValidateStructural(const Value& schema, const FieldPath& field, FieldErrors& errors) {
  Structural structural;
  structural.Visit(schema, Structural::Level::kRoot, field);
  structural.CheckComplete(schema, schema, field, field);
  std::vector<FieldError> found = structural.errors().all();
  std::sort(found.begin(), found.end(),
            [](const FieldError& a, const FieldError& b) { return StrCat(a.field, ": ", a.message) < StrCat(b.field, ": ", b.message); });
  for (FieldError& error : found) errors.Add(error.reason, FieldPath(std::string_view(error.field)), std::move(error.message));
}

std::string FindUnsupported(const Value& schema) {
  if (!schema.IsObject()) return "";
  for (const std::string_view key : {"id", "$schema", "$ref"}) {
    if (!json::TextOf(schema[key]).empty()) return StrCat("OpenAPIV3Schema '", key == "$schema" ? "schema" : key, "' is not supported");
  }
  for (const std::string_view key : {"patternProperties", "dependencies", "definitions"}) {
    if (!json::MembersOf(schema[key]).empty()) return StrCat("OpenAPIV3Schema '", key, "' is not supported");
  }
  if (!schema["additionalItems"].IsNull()) return "OpenAPIV3Schema 'additionalItems' is not supported";
  if (schema["items"].IsArray()) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const Value& preserve = schema["x-kubernetes-preserve-unknown-fields"];
  if (preserve.IsBool() && !preserve.AsBool()) return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";

  std::string found;
  const auto look = [&](const Value& below) {
    if (found.empty()) found = FindUnsupported(below);
  };
  look(schema["items"]);
  look(schema["additionalProperties"]);
  look(schema["not"]);
  for (const json::Member& property : json::MembersOf(schema["properties"])) look(property.value);
  for (const std::string_view key : {"allOf", "anyOf", "oneOf"}) {
    for (const Value& clause : json::ItemsOf(schema[key])) look(clause);
  }
  return found;
}

}  // namespace allot::apiserver
