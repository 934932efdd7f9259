#pragma once
// `allot apply`: makes objects what files say, by server-side apply.

#include "cli/args.h"

namespace allot::cli {

Verb ApplyVerb();

}  // namespace allot::cli
