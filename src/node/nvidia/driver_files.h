#pragma once
// The files of the GPU driver that a container needs: libraries, programs, device nodes. They are searched for each time, because a search
// during the driver's installation finds only some of them.

#include <string>
#include <vector>

#include "base/file_system.h"

namespace allot::node::nvidia {

// Where the driver is. If the agent runs in a container, the same files have two paths.
struct DriverRoot {
  std::string host = "/";  // as the container runtime sees it
  std::string here = "/";  // as the agent sees it

  // `path` begins with "/".
  std::string Host(const std::string& path) const { return host == "/" ? path : host + path; }
  std::string Here(const std::string& path) const { return here == "/" ? path : here + path; }
};

// All paths are relative to the driver root, as containers see them, and sorted.
struct DriverFiles {
  std::vector<std::string> mounts;           // read-only
  std::vector<std::string> sockets;          // of the driver's daemons
  std::vector<std::string> library_folders;  // for the container's linker
  std::vector<std::string> control_nodes;    // "/dev/nvidiactl", ...
  bool dev_in_root = false;                  // device nodes are below the driver root, not in the host's /dev

  // Ok if a container can compute with these files. kUnavailable says what is missing.
  Status Check() const;

  static DriverFiles Find(const FileSystem& files, const DriverRoot& root, const std::string& driver_version);
};

// Returns the device node of a GPU, which need not exist.
std::string GpuNode(int minor);
// Returns /dev/nvidia-caps/nvidia-cap<n> of a MIG device's GPU instance and compute instance, from the driver's files in `proc` ("/proc").
Result<std::vector<std::string>> MigNodes(const FileSystem& files, const std::string& proc, int minor, int gpu_instance,
                                          int compute_instance);

}  // namespace allot::node::nvidia
