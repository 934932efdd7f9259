#pragma once
// `allot status`: every GPU of the cluster, its shares, who holds them, and who waits.

#include "cli/args.h"

namespace allot::cli {

Verb StatusVerb();

}  // namespace allot::cli
