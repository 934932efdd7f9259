#pragma once
// The files of one container: how whoever starts it (containers.h), the shim that runs it (shim.h) and whoever reads its log agree.
//
//   spec.json   what to run; written once, by who starts it. The shim holds a lock (flock) on it for as long as it lives
//   state.json  which processes run it; written once, by the shim, before the program starts
//   exit.json   how it ended, with all its processes; written once. Then the shim is gone, or goes
//   log, log.1  what it wrote (log_file.h); log.1 is the older part
//
// All are synced, so that they outlive the machine's power. spec.json has secrets: the folder must be its owner's alone.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/process.h"
#include "base/status.h"
#include "local/process_table.h"

namespace allot::local {

struct RunAs {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // besides gid

  friend bool operator==(const RunAs&, const RunAs&) = default;
};

struct ContainerSpec {
  std::string id;                 // nobody else's, ever; its processes are known by it
  std::vector<std::string> argv;  // the program (looked for in the environment's PATH), then its arguments
  Environment environment;        // all of it
  std::string working_directory = "/";
  std::optional<RunAs> run_as;  // nothing: as who starts it
  bool no_new_privileges = false;
  int64_t log_bytes = 10 << 20;  // of each log file

  friend bool operator==(const ContainerSpec&, const ContainerSpec&) = default;
};

struct ContainerBirth {
  ProcessId shim, main;
  std::string boot;  // of the machine
  WallTime started_at;

  friend bool operator==(const ContainerBirth&, const ContainerBirth&) = default;
};

struct ContainerExit {
  int exit_code = 0;    // as Kubernetes shows it: 128 + the signal
  int signal = 0;       // 0: ended by itself
  std::string reason;   // "StartError", "ContainerCannotRun", "ContainerStatusUnknown"; empty: it ran and ended
  std::string message;  // of a reason
  WallTime finished_at;

  friend bool operator==(const ContainerExit&, const ContainerExit&) = default;
};

inline constexpr std::string_view kSpecFile = "spec.json", kStateFile = "state.json", kExitFile = "exit.json", kLogFile = "log";

// The variable by which the processes of a container are found when its shim is gone.
inline constexpr std::string_view kIdVariable = "ALLOT_CONTAINER_ID";

Status WriteSpec(FileSystem& files, const std::string& folder, const ContainerSpec& spec);
Result<ContainerSpec> ReadSpec(const FileSystem& files, const std::string& folder);
Status WriteBirth(FileSystem& files, const std::string& folder, const ContainerBirth& birth);
Result<ContainerBirth> ReadBirth(const FileSystem& files, const std::string& folder);
Status WriteExit(FileSystem& files, const std::string& folder, const ContainerExit& ending);
Result<ContainerExit> ReadExit(const FileSystem& files, const std::string& folder);

// "2026-01-02T03:04:05.123456789Z"
std::string WriteNanoTime(WallTime time);

}  // namespace allot::local
