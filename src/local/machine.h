#pragma once
// This machine, as a Node object tells of it.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_system.h"

namespace allot::local {

struct Machine {
  std::string hostname;      // can be the name of a node
  std::string address;       // the first that is not the loop; else 127.0.0.1
  std::string architecture;  // "amd64"
  std::string kernel, os_image, machine_id, boot_id;
  int64_t cpus = 1;
  int64_t memory_kib = 0;
  int64_t disk_kib = 0;  // of the file system that `folder` is on
};

// What the system does not tell is empty or 0. `folder` is where containers write.
Machine ReadMachine(const FileSystem& files, const std::string& folder);

// A name that Kubernetes takes for a node: "gpu-box.lan" for "GPU_Box.lan"; "local" where nothing is left.
std::string NodeNameOf(std::string_view hostname);

}  // namespace allot::local
