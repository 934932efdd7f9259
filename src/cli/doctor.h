#pragma once
// `allot doctor`: checks whether a cluster is ready for allot, and says how to fix what is not.

#include "cli/program/args.h"

namespace allot::cli {

Verb DoctorVerb();

}  // namespace allot::cli
