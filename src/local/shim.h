#pragma once
// The process beside each container: it starts the program, keeps its output and its exit code, and outlives whoever started it.
//
// Promises:
//   1. state.json is there before the program runs; exit.json once it has ended and nothing that it started is left;
//   2. the program has a session of its own, the environment and identity of the spec and nothing else: stdin is /dev/null, no file of
//      ours is open in it, signals are at their defaults. No shell is involved;
//   3. it ends when the shim does; and when it ends, the shim ends all that is left of its descendants;
//   4. a program that cannot be started is an exit too: 127 (there is none), 126 (it may not be run), 128 (anything else), with a reason;
//   5. a shim that is told to end (SIGTERM: the machine goes down) tells the program, and waits for it.

#include <string>

namespace allot::local {

// `allot shim FOLDER`: runs the container of the folder (container_files.h, with its spec.json) in a process of its own, and returns when
// the program runs, or cannot. The exit code is 0 then; else what is wrong is on standard error. A container that was started before is
// not started again.
int RunShim(const std::string& folder);

}  // namespace allot::local
