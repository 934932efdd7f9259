#pragma once
// From fork to exec: what a new process does to become the program of a container. For the shim alone.

#include <string>

#include "local/container_files.h"

namespace allot::local {

// Why a program did not start, from the child to the shim.
struct StartError {
  int exit_code = 128;
  std::string reason = "StartError";
  std::string message;
};

struct ProgramFiles {
  int out = -1, err = -1;  // becomes its stdout, stderr
  int go = -1;             // readable when it may start; closed: it may not
};

// Becomes the program; returns only where that fails. REQUIRES a process with one thread, whose parent is `shim`.
StartError BecomeProgram(const ContainerSpec& spec, const ProgramFiles& files, pid_t shim);

}  // namespace allot::local
