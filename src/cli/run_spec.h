#pragma once
// The command line of `allot run`: what is asked for. All that can be wrong about it without a server is found here.

#include "cli/args.h"
#include "local/run_request.h"

namespace allot::cli {

// kInvalid, naming the flag, what is wrong and what would be right.
Result<local::RunSpec> ReadRunSpec(const Arguments& arguments);

}  // namespace allot::cli
