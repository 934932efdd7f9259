#pragma once
// Which GPUs the machine has, by NVML and sysfs.

#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"
#include "device/gpu.h"
#include "device/nvml.h"

namespace allot::device {

struct Discovery {
  std::vector<Gpu> gpus;  // by minor
  // A sentence for each GPU that NVML counts but that tells neither UUID nor minor: without them it can be neither named nor handed out.
  std::vector<std::string> left_out;

  friend bool operator==(const Discovery&, const Discovery&) = default;
};

// What is there now. A call that fails costs no attribute: it stays as `known` has it, or else is "unknown", and the GPU's `problems` say
// which call. What a card just does not have is no problem. `sysfs` is where /sys is seen. An error: NVML does not even count the GPUs.
Result<Discovery> Discover(const Nvml& nvml, const FileSystem& files, const std::string& sysfs, const std::vector<Gpu>& known = {});

// The PCIe root complex of the device at `address` ("0000:01:00.0"), by its link in sysfs: "pci0000:00". Empty: not known.
std::string PcieRoot(const std::string& sysfs, const std::string& address);

// Whether there is one on the PCI bus, with a driver or without.
bool HasNvidiaGpu(const FileSystem& files, const std::string& sysfs);

}  // namespace allot::device
