#pragma once
// `allot logs`: prints the log of a Pod's container, from any Kubernetes API, as kubectl does.

#include "cli/program/args.h"

namespace allot::cli {

Verb LogsVerb();

}  // namespace allot::cli
