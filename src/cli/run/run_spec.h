#pragma once
// The command line of `allot run` as a RunSpec, with all checks that need no server.

#include "cli/program/args.h"
#include "local/run/run_request.h"

namespace allot::cli {

// kInvalid names the flag, the error and a valid value.
Result<local::RunSpec> ReadRunSpec(const Arguments& arguments);

}  // namespace allot::cli
