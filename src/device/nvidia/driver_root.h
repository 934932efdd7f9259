#pragma once
// The folder in which this process sees the GPU driver's files: "/" on the machine itself; "/run/nvidia/driver" or a mount of the host in a
// container. Symbolic links are followed as on the host: an absolute link starts at the root, and ".." does not leave the root.
//
// Thread-safe.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::device::nvidia {

class DriverRoot {
 public:
  explicit DriverRoot(std::string path);

  const std::string& path() const { return path_; }

  // Returns the path by which this process opens `path` ("/usr/lib64/libcuda.so.1"), without links. kNotFound: it does not exist, or its
  // links form a loop.
  Result<std::string> Resolve(std::string_view path) const;

  // Returns the library of that name in the folders where distributions put the driver's libraries. Skips folders of that name and dangling
  // links. kNotFound names the folders that were searched.
  Result<std::string> FindLibrary(std::string_view name) const;

  // Returns the folders that FindLibrary searches, as paths on the host.
  static const std::vector<std::string>& LibraryFolders();

 private:
  std::string path_;  // without a slash at its end: empty for "/"
};

}  // namespace allot::device::nvidia
