#pragma once
// "%s has %d".format([...]).

#include <string>
#include <string_view>
#include <vector>

#include "cel/compile/ast.h"
#include "cel/eval/frame.h"

namespace allot::cel {

// Returns the text with its clauses replaced, or an error.
Value FormatText(Frame& frame, std::string_view text, const List& args);

// Returns what is wrong with a literal text and a literal list of arguments, or empty. REQUIRES: the arguments are checked.
std::string CheckFormatText(std::string_view text, const std::vector<Expr*>& args);

}  // namespace allot::cel
