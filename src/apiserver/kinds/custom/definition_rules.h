#pragma once
// Checks the rules (x-kubernetes-validations) of a new schema: they must compile, use oldSelf only where there can be one, and not cost too
// much.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom/schema.h"
#include "cel/compile/types.h"
#include "json/value.h"

namespace allot::apiserver {

// Checks what needs no compiling. `rules` is the list, at `field`. `schema` is the part of the schema that has the rules, or nullptr if it
// is invalid.
void CheckRuleTexts(const json::Value& rules, const CustomSchema* schema, const FieldPath& field, FieldErrors& errors);

// Checks the rules of a whole schema, one list at a time.
class DefinitionRules {
 public:
  struct Place {
    const CustomSchema& schema;     // the part of the schema that has the rules
    bool resource = false;          // an object with apiVersion, kind and metadata
    std::optional<uint64_t> count;  // how often the part can occur in one object; nullopt: unbounded
    std::string_view uncorrelated;  // the enclosing part whose old and new items cannot be matched; empty: none
  };
  void Check(const json::Value& rules, const Place& place, const FieldPath& field);

  // Adds the errors found, and an error if all rules together cost too much. `field` is the whole schema.
  void Finish(const FieldPath& field, FieldErrors& errors);

 private:
  void CheckRule(const json::Value& written, const CustomRule& rule, const cel::Type& type, uint64_t count, std::string_view uncorrelated,
                 const FieldPath& field);
  void CheckNotOptional(const json::Value& written, const FieldPath& field);
  void Observe(const FieldPath& field, std::string_view what, uint64_t cost);

  FieldErrors errors_;
  uint64_t total_ = 0;
  std::vector<std::pair<FieldPath, uint64_t>> costs_;
};

}  // namespace allot::apiserver
