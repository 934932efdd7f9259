#include "device/nvidia/mig.h"

#include <algorithm>
#include <tuple>

#include "device/nvidia/words.h"

namespace allot::device::nvidia {
namespace {

Result<MigDevice> ReadMigDevice(const Nvml& nvml, nvml::Device parent, nvml::Device device, const std::string& uuid, const Gpu& gpu) {
  MigDevice mig = {.uuid = uuid};
  ASSIGN_OR_RETURN(mig.gpu_instance, nvml.GpuInstanceId(device));
  ASSIGN_OR_RETURN(mig.compute_instance, nvml.ComputeInstanceId(device));
  ASSIGN_OR_RETURN(const nvml::GpuInstanceInfo instance, nvml.GpuInstance(parent, mig.gpu_instance));
  mig.profile_id = static_cast<int>(instance.profileId);
  mig.placement_start = static_cast<int>(instance.placement.start);
  mig.placement_size = static_cast<int>(instance.placement.size);

  ASSIGN_OR_RETURN(const nvml::DeviceAttributes attributes, nvml.Attributes(device));
  mig.memory_mib = static_cast<int64_t>(attributes.memorySizeMB);
  mig.multiprocessors = attributes.multiprocessorCount;
  mig.copy_engines = attributes.sharedCopyEngineCount;
  mig.decoders = attributes.sharedDecoderCount;
  mig.encoders = attributes.sharedEncoderCount;
  mig.jpeg_engines = attributes.sharedJpegCount;
  mig.ofa_engines = attributes.sharedOfaCount;

  // The name has parts that the sizes do not show, such as "+me".
  if (const Result<std::string> name = nvml.Name(device); name.ok()) mig.profile = ProfileOfName(*name);
  if (mig.profile.empty() && gpu.memory_mib) {
    mig.profile = ProfileOfSizes(attributes.computeInstanceSliceCount, attributes.gpuInstanceSliceCount,
                                 static_cast<double>(mig.memory_mib), static_cast<double>(*gpu.memory_mib));
  }
  if (mig.profile.empty())
    return Unavailable(mig.uuid, ": its profile is unknown, because NVML reports neither its name nor the GPU's memory");
  return mig;
}

// Returns the present value, or else the last known one.
Result<MigDevice> ReadOrRemember(const Nvml& nvml, nvml::Device parent, nvml::Device device, Gpu& gpu) {
  ASSIGN_OR_RETURN(const std::string uuid, nvml.Uuid(device));
  Result<MigDevice> mig = ReadMigDevice(nvml, parent, device, uuid, gpu);
  const auto before = std::ranges::find(gpu.mig, uuid, &MigDevice::uuid);
  if (mig.ok() || before == gpu.mig.end()) return mig;
  gpu.problems.push_back(StrCat(uuid, ": ", mig.status().message()));
  return *before;
}

}  // namespace

void ReadMig(const Nvml& nvml, nvml::Device device, Gpu& gpu) {
  const Result<bool> enabled = nvml.MigMode(device);
  if (enabled.ok() ? !*enabled : enabled.status().code() == Code::kUnsupported) {
    gpu.mig_enabled = false;
    gpu.mig.clear();
    return;
  }
  // If the call fails, the GPU may be split, so it must not be offered whole.
  if (enabled.ok()) gpu.mig_enabled = true;
  const Result<std::vector<nvml::Device>> handles = nvml.MigDevices(device);
  for (const Status& status : {enabled.status(), handles.status()}) {
    if (!status.ok()) gpu.problems.push_back(status.message());
  }
  if (!handles.ok()) return;
  std::vector<MigDevice> devices;
  for (const nvml::Device handle : *handles) {
    Result<MigDevice> mig = ReadOrRemember(nvml, device, handle, gpu);
    if (mig.ok()) {
      devices.push_back(*std::move(mig));
    } else {
      gpu.problems.push_back(StrCat("a MIG device is left out: ", mig.status().message()));
    }
  }
  std::ranges::sort(devices, {},
                    [](const MigDevice& mig) { return std::tuple(mig.placement_start, mig.gpu_instance, mig.compute_instance); });
  gpu.mig_enabled = gpu.mig_enabled || !devices.empty();
  gpu.mig = std::move(devices);
}

}  // namespace allot::device::nvidia
