#pragma once
// The MIG devices of a GPU.

#include "device/gpu.h"
#include "device/nvml.h"

namespace allot::device {

// Sets mig_enabled and mig of `gpu`, whose handle is `device`: the MIG devices that exist, by placement. A call that fails leaves what was
// there before, and adds a problem; a MIG device that was not known before is left out then.
void ReadMig(const Nvml& nvml, nvml::Device device, Gpu& gpu);

}  // namespace allot::device
