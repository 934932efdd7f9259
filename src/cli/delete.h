#pragma once
// `allot delete`: deletes objects and waits until they are gone.

#include "cli/program/args.h"

namespace allot::cli {

Verb DeleteVerb();

}  // namespace allot::cli
