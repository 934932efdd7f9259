#pragma once
// Compiles and evaluates the rules of a schema (x-kubernetes-validations).
//
// Rules see only the parts that the schema describes. Costs are limited as in kube-apiserver: each evaluation, all evaluations for one
// object, and in advance the maximal cost that a schema allows.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom/schema.h"
#include "cel/eval/object_type.h"
#include "cel/rule.h"

namespace allot::apiserver {

inline constexpr int64_t kRuleBudget = 10'000'000;  // of all rules for one object

// A part of a schema as expressions see it.
struct RuleType {
  const cel::Type* type = nullptr;  // nullptr: rules cannot see it
  int64_t min_size = 0;             // bytes of the shortest valid JSON
};

// `resource`: an object with apiVersion, kind and metadata.
RuleType MakeRuleType(cel::ObjectTypes& types, const CustomSchema& schema, bool resource);

// Follows a field path relative to a schema: ".a.b['c']". Sets `words` to the path for errors and `*found` to the schema there. Returns
// false if the path leads nowhere. `brackets` allows ['c'].
bool FollowFieldPath(const CustomSchema& schema, std::string_view path, bool brackets, FieldPath* words, const CustomSchema** found);

// All rules of one schema. Immutable.
class CustomRules {
 public:
  // Returns nullptr if the schema has no rules. The schema must outlive it.
  static std::shared_ptr<const CustomRules> Compile(const CustomSchema& schema, bool resource);
  ~CustomRules();

  // Adds an error for each rule that does not hold for `value`. `old` is the replaced value, or nullptr. `budget` is the cost still
  // allowed; once it is used up it becomes negative and no more rules run.
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
