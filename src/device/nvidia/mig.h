#pragma once
// Finds the MIG devices of a GPU.

#include "device/nvidia/gpu.h"
#include "device/nvidia/nvml.h"

namespace allot::device::nvidia {

// Sets mig_enabled and mig of `gpu`, whose handle is `device`. The MIG devices are sorted by placement. If a call fails, the old value
// stays and a problem is added; a MIG device that was not known before is left out.
void ReadMig(const Nvml& nvml, nvml::Device device, Gpu& gpu);

}  // namespace allot::device::nvidia
