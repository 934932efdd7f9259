#pragma once
// What of the GPU driver a container needs: libraries, programs, device nodes. Found anew whenever it is asked for, since a driver that is
// just being installed must not be remembered half.

#include <string>
#include <vector>

#include "base/file_system.h"

namespace allot::node {

// Where the driver is. The same files have two names when the agent runs in a container.
struct DriverRoot {
  std::string host = "/";  // as the container runtime names it
  std::string here = "/";  // as we see it

  // `path` begins with "/".
  std::string Host(const std::string& path) const { return host == "/" ? path : host + path; }
  std::string Here(const std::string& path) const { return here == "/" ? path : here + path; }
};

// Paths are those inside of the driver root, which containers see too. All sorted.
struct DriverFiles {
  std::vector<std::string> mounts;           // read-only
  std::vector<std::string> sockets;          // of the driver's daemons
  std::vector<std::string> library_folders;  // for the container's linker
  std::vector<std::string> control_nodes;    // "/dev/nvidiactl", ...
  bool dev_in_root = false;                  // device nodes are below the driver root, not in the host's /dev

  // Whether a container can compute with them. kUnavailable: what is missing.
  Status Check() const;

  static DriverFiles Find(const FileSystem& files, const DriverRoot& root, const std::string& driver_version);
};

// The device nodes of a GPU, respectively MIG device; they need not exist.
std::string GpuNode(int minor);
// /dev/nvidia-caps/nvidia-cap<n> of a MIG device's GPU instance and compute instance, by the driver's files in `proc` ("/proc").
Result<std::vector<std::string>> MigNodes(const FileSystem& files, const std::string& proc, int minor, int gpu_instance,
                                          int compute_instance);

}  // namespace allot::node
