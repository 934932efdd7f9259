#pragma once
// `allot node`: runs the agent of one node (src/node).

#include "cli/program/args.h"

namespace allot::cli {

Verb NodeVerb();

}  // namespace allot::cli
