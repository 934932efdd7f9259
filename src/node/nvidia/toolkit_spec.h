#pragma once
// The CDI spec of kind nvidia.com/gpu that the NVIDIA container toolkit writes (nvidia-ctk cdi generate), if an admin has one.
//
// A file is tens of kilobytes of YAML, so it is read again only after a change. Thread-safe.

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"

namespace allot::node::nvidia {

class ToolkitSpec {
 public:
  // `files` must outlive it.
  ToolkitSpec(const FileSystem& files, std::vector<std::string> folders) : files_(files), folders_(std::move(folders)) {}

  // Whether a spec has a device of this name (a UUID). A file that cannot be read counts as empty.
  bool Has(std::string_view device);

 private:
  struct Known {
    FileStamp stamp;
    std::set<std::string, std::less<>> devices;
  };

  const FileSystem& files_;
  const std::vector<std::string> folders_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by path
};

}  // namespace allot::node::nvidia
