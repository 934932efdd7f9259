#pragma once
// Which Pods use how much of a driver's devices.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/file_system.h"
#include "node/driver.h"
#include "node/metrics.h"
#include "node/prepare/prepare.h"

namespace allot::node {

// Returns the UID of the Pod that a process belongs to, by its cgroup. Empty: it is in no Pod of kubelet's, or it is gone. `proc`: "/proc"
// of the machine.
std::string PodOfProcess(const FileSystem& files, const std::string& proc, int64_t pid);

// Returns the UID in a path of cgroups: ".../pod0b1c..._....slice/..." (systemd) or ".../pod0b1c...-.../..." (cgroupfs).
std::string PodOfCgroups(std::string_view text);

// Returns, by the claim's UID, the Pods of each claim in `pods_of_claims` and what their processes use.
std::map<std::string, ClaimUse, std::less<>> UseOfClaims(const DeviceUse& use, const PodsOfClaims& pods_of_claims, const FileSystem& files,
                                                         const std::string& proc);

}  // namespace allot::node
