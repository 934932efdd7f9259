#pragma once
// `allot describe`: prints objects with their related objects and events.

#include "cli/program/args.h"

namespace allot::cli {

Verb DescribeVerb();

}  // namespace allot::cli
