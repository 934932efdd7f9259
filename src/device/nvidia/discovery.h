#pragma once
// Finds the GPUs of the machine, with NVML and sysfs.

#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"
#include "device/nvidia/gpu.h"
#include "device/nvidia/nvml.h"

namespace allot::device::nvidia {

struct Discovery {
  std::vector<Gpu> gpus;  // by minor
  // A sentence about each GPU that NVML counts but whose UUID or minor is unknown. Such a GPU can be neither named nor allocated.
  std::vector<std::string> left_out;

  friend bool operator==(const Discovery&, const Discovery&) = default;
};

// Returns the GPUs that are there now. If a call fails, the attribute keeps its value in `known`, or else becomes "unknown", and the GPU's
// `problems` name the call. An attribute that the GPU does not have is no problem. `sysfs` is the path of /sys. An error: NVML cannot count
// the GPUs.
Result<Discovery> Discover(const Nvml& nvml, const FileSystem& files, const std::string& sysfs, const std::vector<Gpu>& known = {});

// Returns the PCIe root complex of the device at `address` ("0000:01:00.0"), from its link in sysfs: "pci0000:00". Empty: unknown.
std::string PcieRoot(const std::string& sysfs, const std::string& address);

// Whether the PCI bus has an NVIDIA GPU, with a driver or without.
bool HasNvidiaGpu(const FileSystem& files, const std::string& sysfs);

}  // namespace allot::device::nvidia
