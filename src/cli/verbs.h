#pragma once
// The verbs of the program, and how a command line becomes a call of one.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args.h"

namespace allot::cli {

std::vector<Verb> AllVerbs();

// `words` with the verb in front, where flags stand before it: `-n lab get pods` as `get -n lab pods`.
std::vector<std::string> VerbFirst(std::span<const std::string_view> words);

// Runs `words` (without the program's name) and returns the exit code: 0, 1 for what failed, 2 for a command line that makes no sense.
int RunProgram(std::span<const std::string_view> words);

}  // namespace allot::cli
