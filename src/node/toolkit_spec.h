#pragma once
// The CDI spec that the NVIDIA container toolkit writes (nvidia-ctk cdi generate), where an admin has it: kind nvidia.com/gpu.
//
// Read again only when a file has changed: it is tens of kilobytes of YAML. Safe to use from several threads.

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"

namespace allot::node {

class ToolkitSpec {
 public:
  // `files` must outlive it.
  ToolkitSpec(const FileSystem& files, std::vector<std::string> folders) : files_(files), folders_(std::move(folders)) {}

  // Whether a spec of that kind has a device of this name (a UUID). A file that cannot be read has none.
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

}  // namespace allot::node
