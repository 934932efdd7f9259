#pragma once
// `allot apply`: creates and updates objects from files, by server-side apply.

#include "cli/program/args.h"

namespace allot::cli {

Verb ApplyVerb();

}  // namespace allot::cli
