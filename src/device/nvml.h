#pragma once
// NVML, loaded at run time from the driver of this machine: one object is one initialised library.
//
// Every error says the call, what NVML answered and, where it is known, the way out. kUnsupported: the driver or the card does not do it.
// kNotFound: no such device. kUnavailable: anything else, which may pass. The number is in the details (NvmlErrorOf).
// Safe to use from several threads; NVML is. Handles are valid as long as the object.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "device/driver_root.h"
#include "device/nvml_abi.h"

namespace allot::device {

struct NvmlError final : ErrorDetails {
  explicit NvmlError(nvml::Return returned) : code(returned) {}
  const nvml::Return code;
};

// What NVML returned, or kSuccess for an error that did not come from it.
nvml::Return NvmlErrorOf(const Status& status);

class Nvml {
 public:
  // Loads libnvidia-ml.so.1 from under `root` and initialises it. kNotFound: there is none. kUnsupported: it lacks a function that we need.
  // kUnavailable: it cannot be loaded, or cannot reach the driver.
  static Result<std::unique_ptr<Nvml>> Open(const DriverRoot& root);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // NVML numbers what was there at Open: a GPU that came later is found by opening again.
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
  Result<nvml::Memory> Memory(nvml::Device device) const;  // `used` without the driver's own where the driver tells them apart
  Result<unsigned> AddressingMode(nvml::Device device) const;

  Result<bool> MigMode(nvml::Device device) const;  // kUnsupported: a GPU that cannot be split
  // The MIG devices that exist; places without one are left out.
  Result<std::vector<nvml::Device>> MigDevices(nvml::Device device) const;
  Result<nvml::DeviceAttributes> Attributes(nvml::Device mig) const;
  Result<int> GpuInstanceId(nvml::Device mig) const;
  Result<int> ComputeInstanceId(nvml::Device mig) const;
  Result<nvml::GpuInstanceInfo> GpuInstance(nvml::Device gpu, int id) const;

  Result<std::vector<nvml::ProcessInfo>> ComputeProcesses(nvml::Device device) const;

  Result<uint64_t> SupportedEvents(nvml::Device gpu) const;
  Result<nvml::EventSet> CreateEventSet() const;
  Status RegisterEvents(nvml::Device gpu, uint64_t types, nvml::EventSet set) const;
  // Nothing: none came in time.
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

}  // namespace allot::device
