#pragma once
// `allot shim FOLDER`: the process beside each container of `allot up` (local/shim.h). Not for people.

#include "cli/args.h"

namespace allot::cli {

Verb ShimVerb();

}  // namespace allot::cli
