#pragma once
// Copies a program to a place where the container runtime finds it. The agent may run in a container, whose files the runtime does not see.

#include <string>

#include "base/status.h"

namespace allot::node {

// Returns "/usr/bin/NAME" if this program is /usr/bin/allot. Empty: there is no such file.
std::string ProgramBeside(const std::string& name);

// Makes `to` a copy of the program `from`, atomically, even while `to` is running. Writes nothing if it is one already.
Status InstallProgram(const std::string& from, const std::string& to);

}  // namespace allot::node
