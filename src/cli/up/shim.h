#pragma once
// `allot shim FOLDER`: the process beside each container of `allot up` (local/containers/shim.h). An internal verb.

#include "cli/program/args.h"

namespace allot::cli {

Verb ShimVerb();

}  // namespace allot::cli
