#pragma once
// "%s has %d".format([...]).

#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/frame.h"

namespace allot::cel {

// The text with its clauses replaced, or the error.
Value FormatText(Frame& frame, std::string_view text, const List& args);

// What is wrong with a literal text and a literal list of arguments; empty when nothing is. REQUIRES: the arguments are checked.
std::string CheckFormatText(std::string_view text, const std::vector<Expr*>& args);

}  // namespace allot::cel
