#pragma once
// Which Pod a process belongs to, by its cgroup.

#include <cstdint>
#include <string>

#include "base/file_system.h"

namespace allot::node {

// The Pod's UID; empty: not in a Pod of kubelet's, or gone. `proc`: "/proc" of the machine.
std::string PodOfProcess(const FileSystem& files, const std::string& proc, int64_t pid);

// The UID in a path of cgroups: ".../pod0b1c..._....slice/..." (systemd) or ".../pod0b1c...-.../..." (cgroupfs).
std::string PodOfCgroups(std::string_view text);

}  // namespace allot::node
