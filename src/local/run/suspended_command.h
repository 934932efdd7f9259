#pragma once
// The command of `allot run`, in its own process group: it is started suspended, and runs when it is resumed.
//
// Stopping and continuing `allot run` stops and continues the command, like a shell's job. If stdin and stdout are the terminal, the
// command gets the terminal at once. In a pipeline, whose other programs may need the terminal, it gets the terminal when it first uses it.
// Signals that the caller ignores (nohup) stay ignored in `allot run` and in the command.

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/process.h"
#include "base/status.h"
#include "local/process_table.h"

namespace allot::local {

// Finds the program as exec does: by its path, or in the PATH of `environment`. kNotFound if it does not exist; kInvalid, with the reason,
// if it is not executable. exec may still fail.
Status CheckProgram(const std::string& program, const Environment& environment);

class SuspendedCommand {
 public:
  // Starts the process, suspended. It ends when we end, unless it was resumed. A program without a slash is searched in the PATH of
  // `environment`.
  static Result<SuspendedCommand> Start(std::vector<std::string> argv, const Environment& environment);
  SuspendedCommand(SuspendedCommand&& other) noexcept;
  SuspendedCommand& operator=(SuspendedCommand&&) = delete;
  // Ends a command that was not resumed.
  ~SuspendedCommand();

  const ProcessId& process() const { return process_; }  // the leader of the group

  // Resumes the command. kNotFound or kInvalid, with the reason, if the program cannot be started.
  Status Resume();
  // Waits for the command's end, and passes our signals on. Returns its exit code, or 128 plus the number of the signal that ended it.
  int Wait();

 private:
  SuspendedCommand() = default;
  // Called when `signal` has stopped the command.
  void Stopped(int signal);

  ProcessId process_;
  std::string program_;
  int resume_ = -1;              // a byte resumes the command; the end of the pipe ends it
  int failure_ = -1;             // errno of exec, or the end of the pipe
  bool takes_terminal_ = false;  // the command gets the terminal when it is resumed
};

}  // namespace allot::local
