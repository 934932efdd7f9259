#pragma once
// allot demo: GPU sharing on this machine in a few seconds, on simulated GPUs; nothing of it stays.

#include "cli/args.h"

namespace allot::cli {

Verb DemoVerb();

}  // namespace allot::cli
