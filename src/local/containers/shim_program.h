#pragma once
// From fork to exec: how a new process becomes the program of a container. Only the shim uses it.

#include <string>

#include "local/containers/container_files.h"

namespace allot::local {

// Why a program did not start. The child sends it to the shim.
struct StartError {
  int exit_code = 128;
  std::string reason = "StartError";
  std::string message;
};

struct ProgramFiles {
  int out = -1, err = -1;  // become the program's stdout and stderr
  int go = -1;             // a byte lets the program start; the end of the pipe ends the process
};

// Becomes the program; returns only on failure. REQUIRES a process with one thread, whose parent is `shim`.
StartError BecomeProgram(const ContainerSpec& spec, const ProgramFiles& files, pid_t shim);

}  // namespace allot::local
