#pragma once
// Turns a checked tree into nodes that can be evaluated.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cel/compile/ast.h"
#include "cel/eval/node.h"

namespace allot::cel {

struct Plan {
  NodePtr root;
  size_t slots = 0;
  // The terms of the outermost &&, or the whole expression.
  struct Term {
    const Node* node = nullptr;
    Span span;
  };
  std::vector<Term> terms;
  // Which variables are read. Their values are in the first slots.
  std::vector<bool> reads;
};

// `constants` owns what the nodes refer to and must outlive them. `variables` names what the expression can use besides the device. Returns
// kInvalid where Kubernetes finds a constant part that cannot be computed, such as int("x") or an invalid pattern.
Result<Plan> MakePlan(const Source& source, const Expr& root, Frame& constants, std::span<const std::string_view> variables = {});

}  // namespace allot::cel
