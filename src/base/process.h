#pragma once
// Runs another program and waits for it.
//
// Promises:
//   1. the program gets its arguments as they are: no shell is ever involved;
//   2. it inherits stdin, stdout and stderr as asked for and no other file of ours, with every signal at its default;
//   3. nothing of it is left when a run fails: it is killed, with its process group or its children, and waited for. Only
//      one that a device keeps from dying is left to die by itself;
//   4. what it writes to us costs no more memory than the limits say.
// Safe to use from several threads.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"

namespace allot {

using Environment = std::map<std::string, std::string>;

// The variables of this program. Not while another thread changes them.
Environment ProcessEnvironment();

struct ProcessSpec {
  enum class Stdin { kNull, kInherit };
  enum class Stderr { kInherit, kCapture };
  enum class Group { kOwn, kOurs };

  // The program, then its arguments. A program without a slash is looked for in the absolute folders of `environment`'s PATH.
  // REQUIRES not empty.
  std::vector<std::string> argv;
  // All of it: nothing of our own is added.
  Environment environment;
  // Where it starts, and what a relative program is relative to; empty: where we are.
  std::string working_directory;
  // kInherit needs Group::kOurs, as the terminal answers no other one, and implies it.
  Stdin stdin_from = Stdin::kNull;
  // kOurs: what a terminal sends to us (Ctrl-C) reaches it too. At the deadline it is killed with its group (kOwn), or with its children
  // and theirs, as far as they have not left their parents (kOurs).
  Group group = Group::kOwn;
  Stderr stderr_to = Stderr::kInherit;
  size_t max_stdout = 1 << 20;
  // Of a captured stderr this much is kept, from its beginning; the rest is dropped.
  size_t max_stderr = 64 << 10;
  std::chrono::milliseconds time_limit = std::chrono::seconds(60);
  const Cancel* cancel = nullptr;  // who may end it sooner
};

struct ProcessOutput {
  int exit_code = 0;  // 0 when a signal ended it
  int signal = 0;     // 0 when it ended by itself
  std::string stdout_text;
  std::string stderr_text;

  bool succeeded() const { return exit_code == 0 && signal == 0; }
  // "ended with exit code 3", "was ended by signal 9 (Killed)"
  std::string Ending() const;
};

// The run's end, whatever the exit code. What the program left running is not waited for, even where it holds stdout open.
// kNotFound when there is no such program (the message names it); kInvalid when it cannot be started as it is; kExhausted when it writes
// more than `max_stdout`; kUnavailable when it runs longer than `time_limit`, is cancelled, or the system is out of
// something.
Result<ProcessOutput> RunProcess(const ProcessSpec& spec);

}  // namespace allot
