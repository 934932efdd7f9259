#pragma once
// Gives every part of a tree its type and every call its overloads.

#include "base/status.h"
#include "cel/ast.h"
#include "cel/source.h"
#include "cel/types.h"

namespace allot::cel {

// What `device` looks like to the checker. Types that are made live in `pool`, as long as the tree is used.
// `dynamic_attributes`: attribute values are dyn (they may be lists) instead of any.
// kInvalid with place and caret at the first mistake.
Status Check(const Source& source, Ast& ast, TypePool& pool, bool dynamic_attributes);

}  // namespace allot::cel
