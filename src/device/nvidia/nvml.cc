#include "device/nvidia/nvml.h"

#include "model/trouble.h"

#include <dlfcn.h>

namespace allot::device::nvidia {
namespace {

using nvml::Return;

// Returns what to do about an error, if that is known.
std::string_view Advice(Return code) {
  switch (code) {
    case Return::kDriverNotLoaded: return "; load the kernel module (modprobe nvidia) or install the driver again";
    case Return::kLibRmVersionMismatch:
      return "; the driver was updated while its kernel module stayed: reload the module (rmmod, modprobe nvidia) or restart the machine";
    case Return::kNoPermission: return "; this process needs /dev/nvidiactl and /dev/nvidia*";
    case Return::kGpuIsLost: return "; it fell off the bus: reset it (nvidia-smi --gpu-reset) or restart the machine";
    case Return::kResetRequired: return "; reset it (nvidia-smi --gpu-reset)";
    default: return "";
  }
}

Code CodeOf(Return code) {
  switch (code) {
    case Return::kNotSupported:
    case Return::kFunctionNotFound:
    case Return::kArgumentVersionMismatch: return Code::kUnsupported;
    case Return::kNotFound:
    case Return::kGpuNotFound: return Code::kNotFound;
    default: return Code::kUnavailable;
  }
}

}  // namespace

#define NVML(symbol, ...) Call(#symbol, functions_.symbol __VA_OPT__(, ) __VA_ARGS__)

Return NvmlErrorOf(const Status& status) {
  const auto* error = dynamic_cast<const NvmlError*>(status.details());
  return error ? error->code : Return::kSuccess;
}

template <typename Function, typename... Arguments>
Status Nvml::Call(const char* symbol, Function* function, Arguments... arguments) const {
  return ToStatus(symbol, function ? function(arguments...) : Return::kFunctionNotFound);
}

Status Nvml::ToStatus(const char* symbol, Return code) const {
  if (code == Return::kSuccess) return {};
  const char* text = functions_.nvmlErrorString ? functions_.nvmlErrorString(code) : nullptr;
  return Status(
      CodeOf(code),
      StrCat(symbol, " of ", library_, ": ", text ? text : "", text ? " " : "", "(NVML error ", static_cast<int>(code), ")", Advice(code)),
      std::make_shared<NvmlError>(code));
}

Result<std::unique_ptr<Nvml>> Nvml::Open(const DriverRoot& root) {
  std::unique_ptr<Nvml> nvml(new Nvml);
  Result<std::string> library = root.FindLibrary("libnvidia-ml.so.1");
  if (!library.ok()) {
    return Status(library.status().code(), StrCat(library.status().message(), " ", model::CodeOf(model::Trouble::kNoDriver)));
  }
  nvml->library_ = *std::move(library);
  TRY(nvml->Load());
  return nvml;
}

Status Nvml::Load() {
  handle_ = dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    const char* reason = dlerror();  // begins with the path
    return Unavailable("load the NVIDIA driver's library: ", reason ? reason : library_,
                       "; install the driver again, or check that it is one for this machine's processor and C library");
  }
  std::vector<std::string> missing;
  const auto find = [&](const char* symbol, auto*& function, bool needed) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle_, symbol));
    if (!function && needed) missing.emplace_back(symbol);
  };
#define ALLOT_NVML_NEEDED(symbol, parameters) find(#symbol, functions_.symbol, true);
#define ALLOT_NVML_OPTIONAL(symbol, parameters) find(#symbol, functions_.symbol, false);
  ALLOT_NVML_FUNCTIONS(ALLOT_NVML_NEEDED, ALLOT_NVML_OPTIONAL)
#undef ALLOT_NVML_NEEDED
#undef ALLOT_NVML_OPTIONAL
  find("nvmlErrorString", functions_.nvmlErrorString, false);
  if (!missing.empty()) return Unsupported(library_, " lacks ", Join(missing, ", "), "; install a driver of 450 or later");
  TRY(NVML(nvmlInit_v2));
  initialised_ = true;
  return {};
}

Nvml::~Nvml() {
  if (initialised_) functions_.nvmlShutdown();
  // The library is unloaded, so that Open finds the new file after an update of the driver.
  if (handle_) dlclose(handle_);
}

Result<unsigned> Nvml::DeviceCount() const {
  unsigned count = 0;
  TRY(NVML(nvmlDeviceGetCount_v2, &count));
  return count;
}

Result<nvml::Device> Nvml::DeviceByIndex(unsigned index) const {
  nvml::Device device = nullptr;
  TRY(NVML(nvmlDeviceGetHandleByIndex_v2, index, &device));
  return device;
}

Result<nvml::Device> Nvml::DeviceByUuid(const std::string& uuid) const {
  nvml::Device device = nullptr;
  TRY(NVML(nvmlDeviceGetHandleByUUID, uuid.c_str(), &device).Context(uuid));
  return device;
}

Result<std::string> Nvml::DriverVersion() const {
  char text[nvml::kTextSize] = "";
  TRY(NVML(nvmlSystemGetDriverVersion, text, nvml::kTextSize));
  return std::string(text);
}

Result<int> Nvml::CudaDriverVersion() const {
  int version = 0;
  TRY(NVML(nvmlSystemGetCudaDriverVersion_v2, &version));
  return version;
}

Result<std::string> Nvml::Uuid(nvml::Device device) const {
  char text[nvml::kTextSize] = "";
  TRY(NVML(nvmlDeviceGetUUID, device, text, nvml::kTextSize));
  return std::string(text);
}

Result<int> Nvml::Minor(nvml::Device device) const {
  unsigned minor = 0;
  TRY(NVML(nvmlDeviceGetMinorNumber, device, &minor));
  return static_cast<int>(minor);
}

Result<std::string> Nvml::Name(nvml::Device device) const {
  char text[nvml::kTextSize] = "";
  TRY(NVML(nvmlDeviceGetName, device, text, nvml::kTextSize));
  return std::string(text);
}

Result<int> Nvml::Brand(nvml::Device device) const {
  int brand = 0;
  TRY(NVML(nvmlDeviceGetBrand, device, &brand));
  return brand;
}

Result<unsigned> Nvml::Architecture(nvml::Device device) const {
  unsigned architecture = nvml::kArchitectureUnknown;
  TRY(NVML(nvmlDeviceGetArchitecture, device, &architecture));
  return architecture;
}

Result<std::pair<int, int>> Nvml::CudaComputeCapability(nvml::Device device) const {
  std::pair<int, int> capability;
  TRY(NVML(nvmlDeviceGetCudaComputeCapability, device, &capability.first, &capability.second));
  return capability;
}

Result<nvml::PciInfo> Nvml::PciInfo(nvml::Device device) const {
  nvml::PciInfo pci = {};
  TRY(NVML(nvmlDeviceGetPciInfo_v3, device, &pci));
  pci.busId[sizeof pci.busId - 1] = '\0';
  return pci;
}

Result<nvml::Memory> Nvml::Memory(nvml::Device device) const {
  // Since driver 510. Older drivers count the memory that they reserve as used.
  nvml::MemoryV2 exact = {.version = nvml::StructVersion(sizeof exact, 2)};
  if (NVML(nvmlDeviceGetMemoryInfo_v2, device, &exact).ok()) return nvml::Memory{exact.total, exact.free, exact.used};
  nvml::Memory memory = {};
  TRY(NVML(nvmlDeviceGetMemoryInfo, device, &memory));
  return memory;
}

Result<unsigned> Nvml::AddressingMode(nvml::Device device) const {
  nvml::AddressingMode mode = {.version = nvml::StructVersion(sizeof mode, 1)};
  TRY(NVML(nvmlDeviceGetAddressingMode, device, &mode));
  return mode.value;
}

Result<bool> Nvml::MigMode(nvml::Device device) const {
  unsigned current = 0;
  unsigned pending = 0;
  TRY(NVML(nvmlDeviceGetMigMode, device, &current, &pending));
  return current != 0;
}

Result<std::vector<nvml::Device>> Nvml::MigDevices(nvml::Device device) const {
  unsigned places = 0;
  TRY(NVML(nvmlDeviceGetMaxMigDeviceCount, device, &places));
  std::vector<nvml::Device> devices;
  for (unsigned i = 0; i < places; ++i) {
    nvml::Device mig = nullptr;
    Status status = NVML(nvmlDeviceGetMigDeviceHandleByIndex, device, i, &mig);
    if (status.code() == Code::kNotFound) continue;
    TRY(std::move(status));
    devices.push_back(mig);
  }
  return devices;
}

Result<nvml::DeviceAttributes> Nvml::Attributes(nvml::Device mig) const {
  nvml::DeviceAttributes attributes = {};
  TRY(NVML(nvmlDeviceGetAttributes_v2, mig, &attributes));
  return attributes;
}

Result<int> Nvml::GpuInstanceId(nvml::Device mig) const {
  unsigned id = 0;
  TRY(NVML(nvmlDeviceGetGpuInstanceId, mig, &id));
  return static_cast<int>(id);
}

Result<int> Nvml::ComputeInstanceId(nvml::Device mig) const {
  unsigned id = 0;
  TRY(NVML(nvmlDeviceGetComputeInstanceId, mig, &id));
  return static_cast<int>(id);
}

Result<nvml::GpuInstanceInfo> Nvml::GpuInstance(nvml::Device gpu, int id) const {
  nvml::GpuInstance instance = nullptr;
  nvml::GpuInstanceInfo info = {};
  TRY(NVML(nvmlDeviceGetGpuInstanceById, gpu, static_cast<unsigned>(id), &instance));
  TRY(NVML(nvmlGpuInstanceGetInfo, instance, &info));
  return info;
}

Result<std::vector<nvml::ProcessInfo>> Nvml::ComputeProcesses(nvml::Device device) const {
  std::vector<nvml::ProcessInfo> processes(16);
  for (;;) {
    auto count = static_cast<unsigned>(processes.size());
    Status status = NVML(nvmlDeviceGetComputeRunningProcesses_v3, device, &count, processes.data());
    if (NvmlErrorOf(status) == Return::kInsufficientSize && processes.size() < 65536) {
      processes.resize(std::max<size_t>(count, processes.size()) * 2);  // more processes may start meanwhile
      continue;
    }
    TRY(std::move(status));
    processes.resize(count);
    return processes;
  }
}

Result<uint64_t> Nvml::SupportedEvents(nvml::Device gpu) const {
  uint64_t types = 0;
  TRY(NVML(nvmlDeviceGetSupportedEventTypes, gpu, &types));
  return types;
}

Result<nvml::EventSet> Nvml::CreateEventSet() const {
  nvml::EventSet set = nullptr;
  TRY(NVML(nvmlEventSetCreate, &set));
  return set;
}

Status Nvml::RegisterEvents(nvml::Device gpu, uint64_t types, nvml::EventSet set) const {
  return NVML(nvmlDeviceRegisterEvents, gpu, types, set);
}

Result<std::optional<nvml::EventData>> Nvml::WaitEvent(nvml::EventSet set, unsigned timeout_ms) const {
  nvml::EventData data = {};
  Status status = NVML(nvmlEventSetWait_v2, set, &data, timeout_ms);
  if (NvmlErrorOf(status) == Return::kTimeout) return std::optional<nvml::EventData>();
  TRY(std::move(status));
  return std::optional(data);
}

void Nvml::FreeEventSet(nvml::EventSet set) const {
  if (functions_.nvmlEventSetFree) functions_.nvmlEventSetFree(set);
}

}  // namespace allot::device::nvidia
