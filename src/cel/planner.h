#pragma once
// From a checked tree to nodes that can be evaluated.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cel/ast.h"
#include "cel/node.h"

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
  // Which of the variables are read; their values are in the first slots.
  std::vector<bool> reads;
};

// `constants` keeps what the nodes refer to and must outlive them. kInvalid where Kubernetes finds a constant part that cannot be computed,
// such as int("x") or a wrong pattern.
// `variables`: what the expression sees besides the device.
Result<Plan> MakePlan(const Source& source, const Expr& root, Frame& constants, std::span<const std::string_view> variables = {});

}  // namespace allot::cel
