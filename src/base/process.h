#pragma once
// Runs another program and waits for it.
//
// Promises:
//   1. the program gets its arguments unchanged: no shell is involved;
//   2. the program inherits stdin, stdout and stderr as requested and no other descriptor, with every signal at its default;
//   3. a failed run leaves no process behind: the program is killed together with its process group or its children, and reaped. The
//      exception is a process that a device keeps from dying, which ends later;
//   4. captured output takes no more memory than the limits say.
// Thread-safe.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace allot {

using Environment = std::map<std::string, std::string>;

// Returns this process's environment. No other thread may change it meanwhile.
Environment ProcessEnvironment();

struct ProcessSpec {
  enum class Stdin { kNull, kInherit };
  enum class Stderr { kInherit, kCapture };
  enum class Group { kOwn, kOurs };

  // The program, then its arguments. A program without a slash is searched in the absolute folders of `environment`'s PATH. REQUIRES: not
  // empty.
  std::vector<std::string> argv;
  // The complete environment: nothing is inherited.
  Environment environment;
  // The directory where the program starts. A relative program path is relative to it. Empty: the current directory.
  std::string working_directory;
  // kInherit implies Group::kOurs, because only the foreground process group may read the terminal.
  Stdin stdin_from = Stdin::kNull;
  // kOurs: signals from the terminal (Ctrl-C) reach the program too. At the deadline, kOwn kills the process group; kOurs kills the program
  // and those descendants that have not left their parents.
  Group group = Group::kOwn;
  Stderr stderr_to = Stderr::kInherit;
  size_t max_stdout = 1 << 20;
  // Keeps this many bytes from the beginning of a captured stderr and drops the rest.
  size_t max_stderr = 64 << 10;
  std::chrono::milliseconds time_limit = std::chrono::seconds(60);
  const Cancel* cancel = nullptr;  // a request ends the run early
};

struct ProcessOutput {
  int exit_code = 0;  // 0 if a signal ended the program
  int signal = 0;     // 0 if the program exited
  std::string stdout_text;
  std::string stderr_text;

  bool succeeded() const { return exit_code == 0 && signal == 0; }
  // "ended with exit code 3", "was ended by signal 9 (Killed)"
  std::string Ending() const;
};

// Returns how the program ended, whatever its exit code. Does not wait for processes that the program left running, even if they hold
// stdout open.
// Returns kNotFound, naming the program, if it does not exist; kInvalid if it cannot be executed; kExhausted if it writes more than
// `max_stdout`; kUnavailable if it runs longer than `time_limit`, is cancelled, or the system lacks a resource.
Result<ProcessOutput> RunProcess(const ProcessSpec& spec);

}  // namespace allot
