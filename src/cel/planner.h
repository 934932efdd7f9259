#pragma once
// From a checked tree to nodes that can be evaluated.

#include <memory>
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
};

// `constants` keeps what the nodes refer to and must outlive them. kInvalid where Kubernetes finds a constant part that cannot be computed,
// such as int("x") or a wrong pattern.
Result<Plan> MakePlan(const Source& source, const Expr& root, Frame& constants);

}  // namespace allot::cel
