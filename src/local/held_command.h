#pragma once
// A command in a process group of its own, which begins only when it is let go on; of `allot run`.
//
// The command is stopped and continued with us, as a shell does it with a job. It gets our terminal where that is all ours; in a pipeline,
// whose other programs may want it, only when it asks for it. What our caller ignores (nohup), the command and we ignore.

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/process.h"
#include "base/status.h"
#include "local/process_table.h"

namespace allot::local {

// Whether the program is there, as exec finds it: by its path, or in the PATH of `environment`. kNotFound: there is none; kInvalid: it
// cannot be executed, and why. Whether it can really be started only exec knows.
Status CheckProgram(const std::string& program, const Environment& environment);

class HeldCommand {
 public:
  // The process is there when it returns, and has done nothing. It ends by itself when we do, unless it was let go on. A program without a
  // slash is looked for in the PATH of `environment`.
  static Result<HeldCommand> Start(std::vector<std::string> argv, const Environment& environment);
  HeldCommand(HeldCommand&& other) noexcept;
  HeldCommand& operator=(HeldCommand&&) = delete;
  // Ends a command that was not let go on.
  ~HeldCommand();

  const ProcessId& process() const { return process_; }  // the leader of the group

  // From now on it runs. kNotFound, kInvalid: the program cannot be started, and why.
  Status LetGo();
  // Waits for its end, and passes the signals on that we get. The exit code, or 128 and the number of the signal that ended it.
  int Wait();

 private:
  HeldCommand() = default;
  // By this signal.
  void Stopped(int signal);

  ProcessId process_;
  std::string program_;
  int gate_ = -1;                // a byte lets it go on; the end of the pipe ends it
  int failure_ = -1;             // errno of exec, or the end of the pipe
  bool takes_terminal_ = false;  // from the beginning
};

}  // namespace allot::local
