#pragma once
// `allot man`: prints the manual page, from the same table of verbs and flags as --help.

#include <span>
#include <string>
#include <string_view>

#include "cli/program/args.h"

namespace allot::cli {

Verb ManVerb();

// In roff, with the man macros.
std::string ManPage(std::span<const Verb> verbs, std::string_view version);

}  // namespace allot::cli
