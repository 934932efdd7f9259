#pragma once
// Expands macros, which look like calls but mean another tree: has, all, exists, map, filter, cel.bind, optMap, sortBy...

#include <string>
#include <string_view>
#include <vector>

#include "cel/compile/ast.h"

namespace allot::cel {

struct Expansion {
  Expr* expr = nullptr;  // nullptr without an error: not a macro
  std::string error;     // why the arguments do not fit
  uint32_t error_at = 0;
};

// Expands target.name(args), or name(args) if `target` is nullptr. The result may contain the arguments themselves.
Expansion ExpandMacro(Ast& ast, std::string_view name, Expr* target, const std::vector<Expr*>& args, Span span, uint32_t at);

}  // namespace allot::cel
