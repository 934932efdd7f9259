#pragma once
// The rules (x-kubernetes-validations) of a schema that is about to be defined: they compile, use oldSelf where there can be one, and do
// not cost too much.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom_schema.h"
#include "cel/types.h"
#include "json/value.h"

namespace allot::apiserver {

// What can be said of rules without compiling them. `rules` is the list, at `field`. `schema`: where it stands, or nullptr where that
// cannot be read.
void CheckRuleTexts(const json::Value& rules, const CustomSchema* schema, const FieldPath& field, FieldErrors& errors);

// The rules of a whole schema, one list after the other.
class DefinitionRules {
 public:
  struct Place {
    const CustomSchema& schema;     // that the rules belong to
    bool resource = false;          // an object with apiVersion, kind and metadata
    std::optional<uint64_t> count;  // how often it can be there in one object; nothing: without bound
    std::string_view uncorrelated;  // the part around it whose old items cannot be told from new ones; empty: none
  };
  void Check(const json::Value& rules, const Place& place, const FieldPath& field);

  // Adds what was found, and what all rules together cost too much. `field`: the whole schema.
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
