#pragma once
// `allot node`: runs the agent of one node (src/node).

#include "cli/args.h"

namespace allot::cli {

Verb NodeVerb();

}  // namespace allot::cli
