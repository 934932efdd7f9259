#pragma once
// Kubernetes' checks after typing: literals that will be converted, patterns, elements of one type, format strings.

#include "base/status.h"
#include "cel/compile/ast.h"
#include "cel/compile/source.h"

namespace allot::cel {

// REQUIRES: `root` is checked.
Status Validate(const Source& source, const Expr& root);

}  // namespace allot::cel
