#pragma once
// Assigns a type to every node and overloads to every call.

#include <span>

#include "base/status.h"
#include "cel/compile/ast.h"
#include "cel/compile/source.h"
#include "cel/compile/types.h"

namespace allot::cel {

// Checks an expression over `device`. New types live in `pool`, which must outlive the tree.
// `dynamic_attributes`: attribute values are dyn (they may be lists) instead of any.
// Returns kInvalid with place and caret for the first mistake.
Status Check(const Source& source, Ast& ast, TypePool& pool, bool dynamic_attributes);

// A name that an expression may use.
struct Variable {
  std::string_view name;
  const Type* type = nullptr;
};

// Checks an expression over `variables` instead of a device.
Status CheckWith(const Source& source, Ast& ast, TypePool& pool, std::span<const Variable> variables);

}  // namespace allot::cel
