#pragma once
// Puts a program where the container runtime finds it: the agent may run in a container, whose files the runtime does not see.

#include <string>

#include "base/status.h"

namespace allot::node {

// "/usr/bin/NAME" where our own program is /usr/bin/allot. Empty where there is none.
std::string ProgramBeside(const std::string& name);

// Makes `to` a copy of the program `from`, whole or not at all; it may be running. Nothing is written where it is one already.
Status InstallProgram(const std::string& from, const std::string& to);

}  // namespace allot::node
