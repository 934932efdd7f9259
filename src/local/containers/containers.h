#pragma once
// Containers as processes of this machine: each has its own shim (shim.h) and its own folder (container_files.h).
//
// Promises:
//   1. a container keeps running when the process that started it ends or is killed; the next Look finds it again;
//   2. a container has ended only when none of its processes is left. If its shim is gone without an exit.json (killed, or a power
//      cut), the remaining processes are killed first; then the exit code is 137 and the reason ContainerStatusUnknown;
//   3. no other process is ever signalled: PID and start time must match. If the shim and the container's first process are both gone, the
//      remaining processes are recognized by the id in their environment, or by session and user.
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
#include "local/containers/container_files.h"

namespace allot::local {

struct ContainerState {
  enum class Phase {
    kNone,      // there is no container
    kCreated,   // its folder exists, but it was not started
    kStarting,  // its shim is starting it
    kRunning,
    kEnded,
  };
  Phase phase = Phase::kNone;
  std::optional<ContainerBirth> birth;  // set if kRunning, or kEnded after the program's process was created
  std::optional<ContainerExit> exit;    // set if kEnded
};

class Containers {
 public:
  struct Options {
    std::vector<std::string> shim = {"/proc/self/exe", "shim"};  // the folder is its last argument
    std::chrono::milliseconds start_limit{30'000};
    std::chrono::milliseconds kill_limit{2'000};  // for the processes that a lost shim left behind
  };

  // Calls `on_end`, on its own thread, as soon as a container ends that was running at its last Look; `on_end` must be short. The arguments
  // must outlive this object.
  Containers(Options options, FileSystem& files, const Clock& clock, Random& random, std::function<void(const std::string& folder)> on_end);
  // The containers keep running.
  ~Containers();

  // Starts a container. Returns when the program runs, or cannot run (kEnded, with the reason). After an error the caller may try again:
  // Look says whether the container was started nevertheless, and a second Start finds it. Creates the folder, an absolute path, readable
  // only by its owner. Adds an id to `spec`, and to its environment.
  Result<ContainerState> Start(const std::string& folder, ContainerSpec spec);
  // The container's current state. kUnavailable if its shim is gone and a process does not end, or cannot be watched: try again.
  Result<ContainerState> Look(const std::string& folder);
  // Sends a signal to the container's first process. SIGKILL ends all of its processes. Ok if the container has ended.
  Status Signal(const std::string& folder, int signal);
  // Removes the container's folder. REQUIRES that the container does not run.
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

// The folders of containers below `root`, sorted.
std::vector<std::string> FindContainers(const FileSystem& files, const std::string& root);

// Removes a folder and its content. Ok if there is none. Links are removed, not followed.
Status RemoveTree(const std::string& folder);

}  // namespace allot::local
