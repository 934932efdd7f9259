#pragma once
// The machine that the fake NVML shows, read from its inventory (README.md has the format).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "device/nvidia/nvml_abi.h"

namespace allot::device::fake {

// By symbol: the error that the call returns instead of doing its work.
using Failures = std::map<std::string, nvml::Return, std::less<>>;

struct MigPart {
  std::string uuid;
  std::string profile;
  unsigned gpu_instance = 0, compute_instance = 0, profile_id = 0;
  nvml::GpuInstancePlacement placement = {};
  nvml::DeviceAttributes attributes = {};
  uint64_t used = 0;  // bytes
};

struct Process {
  unsigned pid = 0;
  uint64_t used = nvml::kNotAvailable;  // bytes
};

struct Card {
  std::string uuid, name, pci_bus_id;  // "00000000:01:00.0"
  unsigned minor = 0, architecture = 0, pci_device_id = 0;
  int brand = 0, compute_major = 0, compute_minor = 0;
  std::optional<uint64_t> memory;  // bytes; absent: the GPU does not report it
  uint64_t used = 0;               // bytes
  std::optional<unsigned> addressing_mode;
  bool ecc = false, lost = false;
  bool can_split = false, mig_enabled = false;
  std::vector<MigPart> mig;
  std::vector<Process> processes;
  Failures failures;
};

struct Event {
  int64_t id = 0;
  std::string uuid;  // of the GPU
  uint64_t type = 0, data = 0;
  unsigned gpu_instance = nvml::kNoInstance, compute_instance = nvml::kNoInstance;
};

struct Machine {
  std::string driver_version;
  int cuda_version = 0;         // 13000: 13.0
  bool enumerate_once = false;  // like the real library: a GPU that comes later appears after the next nvmlInit_v2
  std::vector<Card> cards;
  std::vector<Event> events;
  Failures failures;
};

// kInvalid names the field.
Result<Machine> ReadMachine(std::string_view yaml);

}  // namespace allot::device::fake
