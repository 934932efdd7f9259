#pragma once
// allot cdi-hook: what container runtimes run for our CDI specs; not for people.

#include "cli/args.h"

namespace allot::cli {

Verb CdiHookVerb();

}  // namespace allot::cli
