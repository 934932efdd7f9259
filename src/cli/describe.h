#pragma once
// `allot describe`: one object in words, with what belongs to it.

#include "cli/args.h"

namespace allot::cli {

Verb DescribeVerb();

}  // namespace allot::cli
