#pragma once
// Parses text into a tree.
//
// Accepts the grammar of Kubernetes 1.36 with its limits: 100000 characters, and nesting up to 250.

#include "base/status.h"
#include "cel/compile/ast.h"
#include "cel/compile/source.h"

namespace allot::cel {

// Fills `ast`. Returns kInvalid with place and caret for the first mistake.
Status Parse(const Source& source, Ast& ast);

}  // namespace allot::cel
