#pragma once
// A validation rule of a schema (x-kubernetes-validations): an expression over `self`, and over `oldSelf` if it compares an update.
//
// The language is that of device selectors (program.h) with these two variables instead of a device.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cel/eval/object_type.h"
#include "json/value.h"

namespace allot::cel {

struct RuleOptions {
  bool text = false;               // the expression is a message: it returns a string instead of a bool
  bool optional_old_self = false;  // `oldSelf` is an optional
  uint64_t cost_limit = 1'000'000;
};

// Immutable; may be shared between threads.
class Rule {
 public:
  // `self` must outlive the rule. Returns kInvalid with line:column, what is wrong, the line and a caret.
  static Result<std::shared_ptr<const Rule>> Compile(std::string_view expression, const Type& self, const RuleOptions& options = {});

  ~Rule();
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  bool uses_old_self() const { return uses_old_self_; }
  // The maximal cost of an evaluation, given what the schema allows; UINT64_MAX if unbounded.
  uint64_t max_cost() const { return max_cost_; }

  // Returns whether the rule holds, and sets `*cost` to the cost. `old_self` may be nullptr if the rule does not use it, or if it is
  // optional. An error comes from the evaluation; kExhausted is the cost limit.
  Result<bool> Holds(const json::Value& self, const json::Value* old_self, uint64_t* cost) const;
  // Evaluates a message. REQUIRES: options.text.
  Result<std::string> Text(const json::Value& self, const json::Value* old_self, uint64_t* cost) const;

 private:
  struct Parts;

  Rule(std::string expression, const Type& self, const RuleOptions& options);

  template <typename Read>
  auto Evaluate(const json::Value& self, const json::Value* old_self, uint64_t* cost, Read read) const;

  const std::string expression_;
  const Type& self_;
  const RuleOptions options_;
  bool uses_old_self_ = false;
  uint64_t max_cost_ = 0;
  std::unique_ptr<Parts> parts_;
};

}  // namespace allot::cel
