#pragma once
// The verbs of the program, and how a command line becomes a call of one.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/args.h"

namespace allot::cli {

std::vector<Verb> AllVerbs();

// Moves the verb to the front if flags come before it: `-n lab get pods` becomes `get -n lab pods`.
std::vector<std::string> VerbFirst(std::span<const std::string_view> words);

// Runs `words` (without the program's name) and returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command line.
int RunProgram(std::span<const std::string_view> words);

}  // namespace allot::cli
