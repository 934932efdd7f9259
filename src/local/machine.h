#pragma once
// The facts about this machine that a Node object has.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_system.h"

namespace allot::local {

struct Machine {
  std::string hostname;      // as a valid node name
  std::string address;       // the first that is not a loopback address; else 127.0.0.1
  std::string architecture;  // "amd64"
  std::string kernel, os_image, machine_id, boot_id;
  int64_t cpus = 1;
  int64_t memory_kib = 0;
  int64_t disk_kib = 0;  // of the file system that `folder` is on
};

// Facts that the system does not provide are empty or 0. `folder` is where containers write.
Machine ReadMachine(const FileSystem& files, const std::string& folder);

// A valid node name: "gpu-box.lan" for "GPU_Box.lan"; "local" if nothing is left.
std::string NodeNameOf(std::string_view hostname);

}  // namespace allot::local
