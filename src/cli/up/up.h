#pragma once
// `allot up`: everything on one machine.

#include "cli/program/args.h"
#include "local/up.h"

namespace allot::cli {

Verb UpVerb();

// The options of `up` without flags: this program and all parts, but no nodes and no data folder.
local::UpOptions UpDefaults();

}  // namespace allot::cli
