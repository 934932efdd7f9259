#pragma once
// `allot run`: runs a command with a share of a GPU of this machine.

#include "cli/program/args.h"

namespace allot::cli {

Verb RunVerb();

}  // namespace allot::cli
