#pragma once
// Types as OpenAPI schemas.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds/kind.h"
#include "apiserver/schema/type.h"
#include "json/editor.h"

namespace allot::apiserver {

enum class OpenApiVersion { kV2, kV3 };

// Makes references and records what they refer to. The kinds and types must outlive the result.
class SchemaSet {
 public:
  SchemaSet(json::Editor& edit, OpenApiVersion version) : edit_(edit), version_(version) {}

  OpenApiVersion version() const { return version_; }
  json::Editor& edit() { return edit_; }

  // Make {"$ref": ...} to a kind, to the list of its objects, to a named type, or to a built-in type.
  json::Value RefToKind(const Kind& kind);
  json::Value RefToList(const Kind& kind);
  json::Value RefTo(const Type& type);
  json::Value RefTo(std::string_view built_in);

  // Returns the schemas of everything referred to, directly or indirectly, by name.
  json::Value Definitions();

 private:
  using Members = std::vector<json::Member>;
  struct Definition {
    const Type* type = nullptr;     // nullptr: an object without a known type
    const Kind* kind = nullptr;     // set if the type does not say which kind it is
    const Kind* list_of = nullptr;  // a list without a type of its own
  };

  json::Value Ref(std::string name, const Definition& definition);
  json::Value Define(const Definition& definition);
  json::Value DefineList(const Kind& kind);
  json::Value DefineValue(const Type& type);
  void AddProperties(Members& to, const Type& type, bool is_kind, int depth);
  json::Value Property(const Field& field, std::string_view description, int depth);
  json::Value Inline(const Type& type, int depth);
  void AddInline(Members& to, const Type& type, int depth);
  void AddMergeRules(Members& to, const Field& field);
  void AddKind(Members& to, std::string_view group, std::string_view version, std::string_view kind);

  json::Editor& edit_;
  const OpenApiVersion version_;
  std::map<std::string, Definition, std::less<>> referred_;
  std::vector<std::string> waiting_;  // names in referred_ that are not written yet
};

// {"group": ..., "kind": ..., "version": ...}
json::Value GroupVersionKind(json::Editor& edit, std::string_view group, std::string_view version, std::string_view kind);

}  // namespace allot::apiserver
