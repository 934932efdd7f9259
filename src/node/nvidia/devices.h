#pragma once
// The devices that this node offers, and their names in ResourceSlices.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "device/nvidia/gpu.h"

namespace allot::node::nvidia {

inline constexpr std::string_view kDriver = "gpu.nvidia.com";

// "gpu-0"
std::string DeviceName(const device::nvidia::Gpu& gpu);
// "gpu-0-mig-1g12gb-19-0"
std::string DeviceName(const device::nvidia::Gpu& gpu, const device::nvidia::MigDevice& mig);

struct DeviceRef {
  const device::nvidia::Gpu* gpu = nullptr;
  const device::nvidia::MigDevice* mig = nullptr;  // null: the whole GPU

  const std::string& uuid() const { return mig != nullptr ? mig->uuid : gpu->uuid; }
  std::optional<int64_t> memory_mib() const { return mig != nullptr ? std::optional(mig->memory_mib) : gpu->memory_mib; }
};

// Returns the device of that name, as pointers into `gpus`. A GPU in MIG mode is not offered whole.
std::optional<DeviceRef> FindDevice(std::span<const device::nvidia::Gpu> gpus, std::string_view name);
// Returns the GPU or MIG device of that UUID. Its name may have changed.
std::optional<DeviceRef> FindByUuid(std::span<const device::nvidia::Gpu> gpus, std::string_view uuid);

}  // namespace allot::node::nvidia
