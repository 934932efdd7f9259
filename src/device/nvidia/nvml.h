#pragma once
// NVML, loaded at run time from the driver of this machine. One object is one initialised library.
//
// Every error names the call, NVML's answer and, if it is known, what to do. kUnsupported: the driver or the GPU does not do it. kNotFound:
// no such device. kUnavailable: anything else, which may pass. NVML's error code is in the details (NvmlErrorOf).
// Thread-safe, as NVML is. Handles are valid as long as the object.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "device/nvidia/driver_root.h"
#include "device/nvidia/nvml_abi.h"

namespace allot::device::nvidia {

struct NvmlError final : ErrorDetails {
  explicit NvmlError(nvml::Return returned) : code(returned) {}
  const nvml::Return code;
};

// Returns NVML's error code, or kSuccess for an error that did not come from NVML.
nvml::Return NvmlErrorOf(const Status& status);

class Nvml {
 public:
  // Loads libnvidia-ml.so.1 from below `root` and initialises it. kNotFound: there is none. kUnsupported: it lacks a function that we need.
  // kUnavailable: it cannot be loaded, or cannot reach the driver.
  static Result<std::unique_ptr<Nvml>> Open(const DriverRoot& root);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // NVML counts the GPUs that were there at Open. A GPU that came later is found after another Open.
  Result<unsigned> DeviceCount() const;
  Result<nvml::Device> DeviceByIndex(unsigned index) const;
  Result<nvml::Device> DeviceByUuid(const std::string& uuid) const;  // of a GPU or a MIG device

  Result<std::string> DriverVersion() const;  // "580.105.08"
  Result<int> CudaDriverVersion() const;      // 13000: 13.0
  Result<std::string> Uuid(nvml::Device device) const;
  Result<int> Minor(nvml::Device device) const;
  Result<std::string> Name(nvml::Device device) const;
  Result<int> Brand(nvml::Device device) const;
  Result<unsigned> Architecture(nvml::Device device) const;
  Result<std::pair<int, int>> CudaComputeCapability(nvml::Device device) const;
  Result<nvml::PciInfo> PciInfo(nvml::Device device) const;
  Result<nvml::Memory> Memory(nvml::Device device) const;  // `used` does not include the driver's own memory, if NVML tells them apart
  Result<unsigned> AddressingMode(nvml::Device device) const;

  Result<bool> MigMode(nvml::Device device) const;  // kUnsupported: the GPU cannot be split
  // Returns the existing MIG devices, without empty places.
  Result<std::vector<nvml::Device>> MigDevices(nvml::Device device) const;
  Result<nvml::DeviceAttributes> Attributes(nvml::Device mig) const;
  Result<int> GpuInstanceId(nvml::Device mig) const;
  Result<int> ComputeInstanceId(nvml::Device mig) const;
  Result<nvml::GpuInstanceInfo> GpuInstance(nvml::Device gpu, int id) const;

  Result<std::vector<nvml::ProcessInfo>> ComputeProcesses(nvml::Device device) const;

  Result<uint64_t> SupportedEvents(nvml::Device gpu) const;
  Result<nvml::EventSet> CreateEventSet() const;
  Status RegisterEvents(nvml::Device gpu, uint64_t types, nvml::EventSet set) const;
  // Nothing: no event came in time.
  Result<std::optional<nvml::EventData>> WaitEvent(nvml::EventSet set, unsigned timeout_ms) const;
  void FreeEventSet(nvml::EventSet set) const;

 private:
  Nvml() = default;
  Status Load();
  Status ToStatus(const char* symbol, nvml::Return code) const;
  template <typename Function, typename... Arguments>
  Status Call(const char* symbol, Function* function, Arguments... arguments) const;

  std::string library_;
  void* handle_ = nullptr;
  bool initialised_ = false;
  nvml::Functions functions_;
};

}  // namespace allot::device::nvidia
