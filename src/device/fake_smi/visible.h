#pragma once
// The GPUs that the container or process around this program may see, found without a driver.

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

// Returns a GPU for each device node nvidia<minor> in `dev`, ordered by minor. NVIDIA_VISIBLE_DEVICES and the memory limits name
// the UUIDs (`environment` has "NAME=value" each). The first UUID is that of the first node, and so on: a container has nothing else to
// tell them apart.
std::vector<VisibleGpu> FindVisible(const std::string& dev, const std::vector<std::string>& environment);

// Returns the GPUs of a process that runs in no container. `list` has a line "MINOR UUID MIB NAME" for each GPU of the machine.
// NVIDIA_VISIBLE_DEVICES selects among them and gives their order; if it is not set, CUDA_VISIBLE_DEVICES does. If neither is set, or the
// value is "all", the process sees all GPUs.
std::vector<VisibleGpu> FindListed(std::string_view list, const std::vector<std::string>& environment);

// Returns the memory limits in MiB, by UUID, of the variables ALLOT_GPU_MEMORY_<UUID with _ for ->[__<share>]=<MiB>. Shares of one GPU add
// up.
std::map<std::string, int64_t> MemoryLimits(const std::vector<std::string>& environment);

}  // namespace allot::device::fake_smi
