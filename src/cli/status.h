#pragma once
// `allot status`: shows every GPU of the cluster, its shares and their holders, and the waiting Pods.

#include "cli/program/args.h"

namespace allot::cli {

Verb StatusVerb();

}  // namespace allot::cli
