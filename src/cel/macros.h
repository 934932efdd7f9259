#pragma once
// Calls that are written like functions and mean a different tree: has, all, exists, map, filter, cel.bind, optMap, sortBy...

#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"

namespace allot::cel {

struct Expansion {
  Expr* expr = nullptr;  // nullptr without an error: not a macro
  std::string error;     // why the arguments do not fit
  uint32_t error_at = 0;
};

// Expands target.name(args), or name(args) when `target` is nullptr. Takes over the arguments that it uses.
Expansion ExpandMacro(Ast& ast, std::string_view name, Expr* target, const std::vector<Expr*>& args, Span span, uint32_t at);

}  // namespace allot::cel
