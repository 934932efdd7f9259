#pragma once
// A rule that a schema has for its values (x-kubernetes-validations): an expression over `self`, and `oldSelf` where it compares a change.
//
// The language is the one of device selectors (program.h) with these two variables instead of a device.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cel/object_type.h"
#include "json/value.h"

namespace allot::cel {

struct RuleOptions {
  bool text = false;               // a message: the expression gives a text instead of a bool
  bool optional_old_self = false;  // `oldSelf` is an optional
  uint64_t cost_limit = 1'000'000;
};

// Immutable; may be shared between threads.
class Rule {
 public:
  // `self` must outlive the rule. kInvalid: line:column, what is wrong, the line and a caret.
  static Result<std::shared_ptr<const Rule>> Compile(std::string_view expression, const Type& self, const RuleOptions& options = {});

  ~Rule();
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  bool uses_old_self() const { return uses_old_self_; }
  // The worst that an evaluation can cost, by what the schema allows; UINT64_MAX where there is no bound.
  uint64_t max_cost() const { return max_cost_; }

  // Whether the rule holds. `old_self` is nullptr where there is none: then REQUIRES that the rule does not use it, or that it is
  // optional. `*cost` is what this took. An error is one of the evaluation; kExhausted: the cost limit.
  Result<bool> Holds(const json::Value& self, const json::Value* old_self, uint64_t* cost) const;
  // The same of a message. REQUIRES: options.text.
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
