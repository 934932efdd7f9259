#pragma once
// The GPUs that the container or process around this program may see, as far as one without a driver can tell.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace allot::device::fake_smi {

struct VisibleGpu {
  int minor = 0;                     // of its device node
  std::string uuid;                  // empty: the environment names none for it
  std::optional<int64_t> limit_mib;  // of the memory; absent: none
  std::string name;                  // "NVIDIA L4"; empty: not known
  std::optional<int64_t> whole_mib;  // the memory that it has; absent: not known
};

// One for each node nvidia<minor> in `dev`, by minor. The environment ("NAME=value" each) names UUIDs, in NVIDIA_VISIBLE_DEVICES and in the
// memory limits; they belong to the nodes in this order, as nothing else in a container tells which is whose.
std::vector<VisibleGpu> FindVisible(const std::string& dev, const std::vector<std::string>& environment);

// The same for a process that no container keeps from the other GPUs: of those that `list` has, a line "MINOR UUID MIB NAME" each, the ones
// that NVIDIA_VISIBLE_DEVICES names, else CUDA_VISIBLE_DEVICES, in that order. Where neither is set, or it says "all": all of them.
std::vector<VisibleGpu> FindListed(std::string_view list, const std::vector<std::string>& environment);

// The limits of memory in MiB, by UUID: ALLOT_GPU_MEMORY_<UUID with _ for ->[__<share>]=<MiB>. Shares of one GPU add up.
std::map<std::string, int64_t> MemoryLimits(const std::vector<std::string>& environment);

}  // namespace allot::device::fake_smi
