#pragma once
// Gives every part of a tree its type and every call its overloads.

#include <span>

#include "base/status.h"
#include "cel/ast.h"
#include "cel/source.h"
#include "cel/types.h"

namespace allot::cel {

// What `device` looks like to the checker. Types that are made live in `pool`, as long as the tree is used.
// `dynamic_attributes`: attribute values are dyn (they may be lists) instead of any.
// kInvalid with place and caret at the first mistake.
Status Check(const Source& source, Ast& ast, TypePool& pool, bool dynamic_attributes);

// A name that an expression may use.
struct Variable {
  std::string_view name;
  const Type* type = nullptr;
};

// The same for an expression that sees `variables` instead of a device.
Status CheckWith(const Source& source, Ast& ast, TypePool& pool, std::span<const Variable> variables);

}  // namespace allot::cel
