#pragma once
// What Kubernetes checks once the types are known: literals that will be converted, patterns, elements of one type, format strings.

#include "base/status.h"
#include "cel/ast.h"
#include "cel/source.h"

namespace allot::cel {

// REQUIRES: `root` is checked.
Status Validate(const Source& source, const Expr& root);

}  // namespace allot::cel
