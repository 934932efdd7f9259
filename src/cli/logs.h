#pragma once
// `allot logs`: what a Pod's container has written, of any Kubernetes API, as kubectl prints it.

#include "cli/args.h"

namespace allot::cli {

Verb LogsVerb();

}  // namespace allot::cli
