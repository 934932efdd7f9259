#pragma once
// The files of one container, shared by the code that starts it (containers.h), its shim (shim.h) and the readers of its log.
//
//   spec.json   what to run; written once, by Containers. The shim locks it (flock) while it lives
//   state.json  which processes run it; written once, by the shim, before the program starts
//   exit.json   how it ended, with all its processes; written once. Then the shim has ended, or is about to
//   log, log.1  its output (log_file.h); log.1 is the older part
//
// All are synced, so that they survive a power cut. spec.json has secrets: only its owner may read the folder.

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
  std::string id;                 // unique; its processes are recognized by it
  std::vector<std::string> argv;  // the program (searched in the environment's PATH) and its arguments
  Environment environment;        // complete: nothing is inherited
  std::string working_directory = "/";
  std::optional<RunAs> run_as;  // nullopt: the shim's user
  bool no_new_privileges = false;
  int64_t log_bytes = 10 << 20;  // the limit of each log file

  friend bool operator==(const ContainerSpec&, const ContainerSpec&) = default;
};

struct ContainerBirth {
  ProcessId shim, main;
  std::string boot;  // the boot ID
  WallTime started_at;

  friend bool operator==(const ContainerBirth&, const ContainerBirth&) = default;
};

struct ContainerExit {
  int exit_code = 0;    // as Kubernetes shows it: 128 + the signal if one ended the program
  int signal = 0;       // 0: the program exited
  std::string reason;   // "StartError", "ContainerCannotRun", "ContainerStatusUnknown"; empty: the program ran and ended
  std::string message;  // details of `reason`
  WallTime finished_at;

  friend bool operator==(const ContainerExit&, const ContainerExit&) = default;
};

inline constexpr std::string_view kSpecFile = "spec.json", kStateFile = "state.json", kExitFile = "exit.json", kLogFile = "log";

// The environment variable that identifies the processes of a container when its shim is gone.
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
