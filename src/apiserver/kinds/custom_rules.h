#pragma once
// The rules of a schema (x-kubernetes-validations), compiled, and what they say about a value.
//
// Rules see the parts that the schema describes, and nothing else. What rules may cost is bounded as kube-apiserver bounds it: each
// evaluation, all evaluations of one object together, and beforehand the worst that a schema allows.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom_schema.h"
#include "cel/object_type.h"
#include "cel/rule.h"

namespace allot::apiserver {

inline constexpr int64_t kRuleBudget = 10'000'000;  // of all rules for one object

// A part of a schema as expressions see it.
struct RuleType {
  const cel::Type* type = nullptr;  // nullptr: rules cannot see it
  int64_t min_size = 0;             // bytes of the shortest JSON that it allows
};

// `resource`: an object with apiVersion, kind and metadata.
RuleType MakeRuleType(cel::ObjectTypes& types, const CustomSchema& schema, bool resource);

// Where a field path that is relative to a schema leads: ".a.b['c']". False where it leads nowhere; `path` gets the words for errors, and
// `*found` the schema there. `brackets`: whether ['c'] is allowed.
bool FollowFieldPath(const CustomSchema& schema, std::string_view path, bool brackets, FieldPath* words, const CustomSchema** found);

// All rules of one schema. Immutable.
class CustomRules {
 public:
  // nullptr where the schema has no rules. The schema must outlive it.
  static std::shared_ptr<const CustomRules> Compile(const CustomSchema& schema, bool resource);
  ~CustomRules();

  // Adds the rules that do not hold for `value`. `old`: what it replaces, or nullptr. `budget` is what they may still cost; when it is
  // used up, it becomes negative and no more rules are run.
  void Validate(const json::Value& value, const json::Value* old, const FieldPath& field, FieldErrors& errors, int64_t& budget) const;

 private:
  struct Node;
  class Run;

  CustomRules();

  std::unique_ptr<Node> Make(const CustomSchema& schema, const cel::Type* type);

  cel::ObjectTypes types_;
  std::unique_ptr<Node> root_;
};

}  // namespace allot::apiserver
