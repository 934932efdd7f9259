#pragma once
// `allot demo`: shows GPU sharing on simulated GPUs in a few seconds, and leaves nothing behind.

#include "cli/program/args.h"

namespace allot::cli {

Verb DemoVerb();

}  // namespace allot::cli
