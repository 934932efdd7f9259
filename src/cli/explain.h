#pragma once
// `allot explain`: why a Pod is where it is, or why it waits, device by device, and what would let it start.

#include "cli/args.h"

namespace allot::cli {

Verb ExplainVerb();

}  // namespace allot::cli
