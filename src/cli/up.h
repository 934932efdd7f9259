#pragma once
// `allot up`: everything on one machine.

#include "cli/args.h"
#include "local/up.h"

namespace allot::cli {

Verb UpVerb();

// What `up` has wherever it is told nothing: this program, its PATH, all parts. Without nodes and a folder.
local::UpOptions UpDefaults();

}  // namespace allot::cli
