#pragma once
// `allot doctor`: whether a cluster is ready for allot, and what to do where it is not.

#include "cli/args.h"

namespace allot::cli {

Verb DoctorVerb();

}  // namespace allot::cli
