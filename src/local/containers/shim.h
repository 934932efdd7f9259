#pragma once
// The process beside each container: it starts the program, records its output and its exit code, and outlives `allot up`.
//
// Promises:
//   1. state.json exists before the program runs; exit.json exists once the program and all of its descendants have ended;
//   2. the program has its own session, and only the environment and identity of the spec: stdin is /dev/null, it inherits no other file,
//      signals are at their defaults. No shell is involved;
//   3. the program ends when the shim does; when the program ends, the shim ends its remaining descendants;
//   4. a program that cannot be started has an exit, too: 127 (not found), 126 (not executable), 128 (any other error), with a reason;
//   5. on SIGTERM (the machine shuts down) the shim passes the signal to the program, and waits for it.

#include <string>

namespace allot::local {

// `allot shim FOLDER`: runs the container of the folder (container_files.h, with its spec.json) in a new process, and returns 0 when the
// program runs or cannot be run. Otherwise the error is on standard error. A container is never started twice.
int RunShim(const std::string& folder);

}  // namespace allot::local
