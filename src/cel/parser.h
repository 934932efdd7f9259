#pragma once
// From text to tree.
//
// Accepts the grammar that Kubernetes 1.36 accepts, with its limits: 100000 characters, and no part nested deeper than 250.

#include "base/status.h"
#include "cel/ast.h"
#include "cel/source.h"

namespace allot::cel {

// Fills `ast`. kInvalid with place and caret at the first mistake.
Status Parse(const Source& source, Ast& ast);

}  // namespace allot::cel
