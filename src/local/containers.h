#pragma once
// Containers as processes of this machine: each runs under a shim of its own (shim.h), in a folder of its own (container_files.h).
//
// Promises:
//   1. a container goes on when whoever started it ends, by whatever means; the next Look finds it again;
//   2. a container counts as ended only when none of its processes is left. Where its shim is gone without a word (killed, or the machine
//      lost its power), what is left of them is ended first; then the exit code is 137 and the reason ContainerStatusUnknown;
//   3. nobody else's process is ever signalled: the number and the start time must be right; of what a lost shim left, where its first
//      process is gone as well, the id in its environment, or session and user.
// Safe to use from several threads; for one folder, one call at a time.

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "base/random.h"
#include "local/container_files.h"

namespace allot::local {

struct ContainerState {
  enum class Phase {
    kNone,      // nothing is there
    kCreated,   // it was to be started, but was not
    kStarting,  // its shim is at it
    kRunning,
    kEnded,
  };
  Phase phase = Phase::kNone;
  std::optional<ContainerBirth> birth;  // of kRunning; of kEnded, where it came that far
  std::optional<ContainerExit> exit;    // of kEnded
};

class Containers {
 public:
  struct Options {
    std::vector<std::string> shim = {"/proc/self/exe", "shim"};  // the folder is its last argument
    std::chrono::milliseconds start_limit{30'000};
    std::chrono::milliseconds kill_limit{2'000};  // for what a lost shim left behind
  };

  // `on_end` hears of each container that was running when it was last looked at and has ended, at once, on a thread of ours; it must be
  // short. All must outlive it.
  Containers(Options options, FileSystem& files, const Clock& clock, Random& random, std::function<void(const std::string& folder)> on_end);
  // The containers go on.
  ~Containers();

  // Returns when the program runs, or has been found not to (kEnded, with the reason). An error: it may be tried again; Look tells whether
  // it was started all the same, and a second try finds what an earlier one has started. The folder, absolute, is made, for its owner
  // alone. `spec` gets an id, and the variable that has it.
  Result<ContainerState> Start(const std::string& folder, ContainerSpec spec);
  // How it is now. kUnavailable: its shim is gone, and a process of it does not end, or its end could not be heard; look again.
  Result<ContainerState> Look(const std::string& folder);
  // To the container's first process. SIGKILL ends all of them. Ok where it has ended.
  Status Signal(const std::string& folder, int signal);
  // The folder with all that is in it. REQUIRES that it does not run.
  Status Remove(const std::string& folder);

 private:
  Status Watch(const std::string& folder, const ProcessId& shim);
  void Run();
  Result<ContainerState> BuryLost(const std::string& folder, const ContainerBirth& birth);

  const Options options_;
  FileSystem& files_;
  const Clock& clock_;
  Random& random_;
  const std::function<void(const std::string&)> on_end_;
  const Environment environment_;
  const std::string boot_;
  const int epoll_;

  struct Watched {
    std::string folder;
    pid_t shim;
  };
  Cancel stop_;
  std::mutex mutex_;
  std::map<int, Watched> watched_;  // by pidfd
  std::set<std::string> folders_;   // of watched_
  std::thread thread_;
};

// The folders below `root` that are containers', sorted.
std::vector<std::string> FindContainers(const FileSystem& files, const std::string& root);

// Removes a folder with all that is in it. Ok where there is none. Links are removed, not followed.
Status RemoveTree(const std::string& folder);

}  // namespace allot::local
