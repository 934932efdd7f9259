#pragma once
// The folder under which this process sees the GPU driver's files: "/" on the machine itself, "/run/nvidia/driver" or a mount of the host
// in a container. Symbolic links are followed as the host would: an absolute one starts at the root again, and ".." does not leave it.
//
// Safe to use from several threads.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::device {

class DriverRoot {
 public:
  explicit DriverRoot(std::string path);

  const std::string& path() const { return path_; }

  // The file behind `path` ("/usr/lib64/libcuda.so.1"), as this process opens it, without links. kNotFound, also for a loop of links.
  Result<std::string> Resolve(std::string_view path) const;

  // The library of that name, in the folders where distributions put the driver's. Folders of that name, and links to nowhere, are passed
  // over. kNotFound names the folders that were searched.
  Result<std::string> FindLibrary(std::string_view name) const;

  // The folders of FindLibrary, as the host names them.
  static const std::vector<std::string>& LibraryFolders();

 private:
  std::string path_;  // without a slash at its end: empty for "/"
};

}  // namespace allot::device
