#include "node/nvidia/devices.h"

#include <algorithm>

#include "base/strings.h"

namespace allot::node::nvidia {

std::string DeviceName(const device::nvidia::Gpu& gpu) { return StrCat("gpu-", gpu.minor); }

std::string DeviceName(const device::nvidia::Gpu& gpu, const device::nvidia::MigDevice& mig) {
  // Characters that a DNS label cannot hold ("1g.12gb+me") are left out or become dashes.
  std::string profile;
  for (const char c : mig.profile) {
    if (c != '.') profile += c == '+' ? '-' : c;
  }
  return StrCat(DeviceName(gpu), "-mig-", profile, "-", mig.profile_id, "-", mig.placement_start);
}

std::optional<DeviceRef> FindDevice(std::span<const device::nvidia::Gpu> gpus, std::string_view name) {
  for (const device::nvidia::Gpu& gpu : gpus) {
    if (!gpu.mig_enabled && DeviceName(gpu) == name) return DeviceRef{&gpu, nullptr};
    for (const device::nvidia::MigDevice& mig : gpu.mig) {
      if (DeviceName(gpu, mig) == name) return DeviceRef{&gpu, &mig};
    }
  }
  return std::nullopt;
}

std::optional<DeviceRef> FindByUuid(std::span<const device::nvidia::Gpu> gpus, std::string_view uuid) {
  for (const device::nvidia::Gpu& gpu : gpus) {
    if (!gpu.mig_enabled && gpu.uuid == uuid) return DeviceRef{&gpu, nullptr};
    for (const device::nvidia::MigDevice& mig : gpu.mig) {
      if (mig.uuid == uuid) return DeviceRef{&gpu, &mig};
    }
  }
  return std::nullopt;
}

}  // namespace allot::node::nvidia
