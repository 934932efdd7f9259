#pragma once
// `allot explain`: says why a Pod runs where it does, or why it waits, for each device, and what would let it start.

#include "cli/program/args.h"

namespace allot::cli {

Verb ExplainVerb();

}  // namespace allot::cli
