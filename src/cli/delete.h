#pragma once
// `allot delete`: ends objects and waits until they are gone.

#include "cli/args.h"

namespace allot::cli {

Verb DeleteVerb();

}  // namespace allot::cli
