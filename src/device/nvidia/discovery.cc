#include "device/nvidia/discovery.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "device/nvidia/mig.h"
#include "device/nvidia/words.h"
#include "model/memory.h"

namespace allot::device::nvidia {
namespace {

constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kNoVersion = "0.0.0";
constexpr size_t kMostSysfsBytes = 4096;

struct DriverFacts {
  std::string version, raw_version, cuda_version;
  std::vector<std::string> problems;
};

DriverFacts ReadDriver(const Nvml& nvml, const FileSystem& files, const std::string& sysfs) {
  DriverFacts facts;
  if (Result<std::string> version = nvml.DriverVersion(); version.ok()) {
    facts.raw_version = *version;
  } else {
    facts.problems.push_back(version.status().message());
    const Result<std::string> module = files.ReadFile(sysfs + "/module/nvidia/version", kMostSysfsBytes);
    if (module.ok()) facts.raw_version = Trim(*module);
  }
  facts.version = SemanticVersion(facts.raw_version);
  const Result<int> cuda = nvml.CudaDriverVersion();
  if (!cuda.ok()) facts.problems.push_back(cuda.status().message());
  facts.cuda_version = cuda.ok() ? StrCat(*cuda / 1000, ".", *cuda % 1000 / 10, ".0") : std::string(kNoVersion);
  return facts;
}

std::optional<int64_t> NumaNode(const FileSystem& files, const std::string& sysfs, const std::string& address) {
  const Result<std::string> text = files.ReadFile(StrCat(sysfs, "/bus/pci/devices/", address, "/numa_node"), kMostSysfsBytes);
  if (!text.ok()) return {};
  const std::string_view digits = Trim(*text);
  int64_t node = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), node);
  return node < 0 ? std::nullopt : std::optional(node);  // -1: a machine without NUMA
}

// Returns the values that a GPU has until its calls succeed: those that were known before, or else none.
Gpu Start(const std::vector<Gpu>& known, const std::string& uuid) {
  const auto before = std::ranges::find(known, uuid, &Gpu::uuid);
  if (before != known.end()) return *before;
  Gpu gpu = {.uuid = uuid, .product_name = std::string(kUnknown), .brand = BrandName(0)};
  gpu.architecture = ArchitectureName(nvml::kArchitectureUnknown);
  gpu.cuda_compute_capability = kNoVersion;
  return gpu;
}

// Calls take(value) with the result, or adds a problem.
template <typename T, typename Take>
void Read(const Result<T>& result, Gpu& gpu, Take take) {
  if (result.ok()) {
    take(*result);
  } else {
    gpu.problems.push_back(result.status().message());
  }
}

// The same for an attribute that many GPUs or drivers do not have: then it calls take(none) and adds no problem.
template <typename T, typename Take>
void ReadIfSupported(const Result<T>& result, const T& none, Gpu& gpu, Take take) {
  if (result.status().code() == Code::kUnsupported) {
    take(none);
  } else {
    Read(result, gpu, take);
  }
}

void ReadBus(const FileSystem& files, const std::string& sysfs, const nvml::PciInfo& pci, Gpu& gpu) {
  gpu.pci_bus_id = PciAddress(pci.busId);
  gpu.pcie_root = PcieRoot(sysfs, gpu.pci_bus_id);
  gpu.numa_node = NumaNode(files, sysfs, gpu.pci_bus_id);
}

void ReadFacts(const Nvml& nvml, nvml::Device device, Gpu& gpu) {
  Read(nvml.Name(device), gpu, [&](const std::string& name) { gpu.product_name = name.empty() ? kUnknown : name; });
  Read(nvml.Brand(device), gpu, [&](int brand) { gpu.brand = BrandName(brand); });
  Read(nvml.Architecture(device), gpu, [&](unsigned architecture) { gpu.architecture = ArchitectureName(architecture); });
  Read(nvml.CudaComputeCapability(device), gpu,
       [&](std::pair<int, int> version) { gpu.cuda_compute_capability = StrCat(version.first, ".", version.second, ".0"); });
  ReadIfSupported(nvml.AddressingMode(device), ~0U, gpu, [&](unsigned mode) { gpu.addressing_mode = AddressingModeName(mode); });
  ReadIfSupported(nvml.Memory(device), {}, gpu, [&](const nvml::Memory& memory) {
    gpu.memory_mib = memory.total > 0 ? std::optional(model::MiB::Offered(static_cast<int64_t>(memory.total)).count()) : std::nullopt;
  });
}

// An error: the GPU cannot be allocated.
Result<std::pair<nvml::Device, Gpu>> Identify(const Nvml& nvml, unsigned index, const std::vector<Gpu>& known) {
  ASSIGN_OR_RETURN(const nvml::Device device, nvml.DeviceByIndex(index));
  ASSIGN_OR_RETURN(const std::string uuid, nvml.Uuid(device));
  Gpu gpu = Start(known, uuid);
  ASSIGN_OR_RETURN(gpu.minor, nvml.Minor(device));
  return std::pair(device, std::move(gpu));
}

}  // namespace

Result<Discovery> Discover(const Nvml& nvml, const FileSystem& files, const std::string& sysfs, const std::vector<Gpu>& known) {
  ASSIGN_OR_RETURN(const unsigned count, nvml.DeviceCount());
  const DriverFacts driver = ReadDriver(nvml, files, sysfs);
  Discovery found;
  for (unsigned i = 0; i < count; ++i) {
    Result<std::pair<nvml::Device, Gpu>> identified = Identify(nvml, i, known);
    if (!identified.ok()) {
      found.left_out.push_back(StrCat("GPU number ", i, " is left out: ", identified.status().message()));
      continue;
    }
    const nvml::Device device = identified->first;
    Gpu& gpu = found.gpus.emplace_back(std::move(identified->second));
    // A call that fails leaves the value that is known.
    if (!driver.raw_version.empty() || gpu.raw_driver_version.empty()) {
      gpu.raw_driver_version = driver.raw_version;
      gpu.driver_version = driver.version;
    }
    if (driver.cuda_version != kNoVersion || gpu.cuda_driver_version.empty()) gpu.cuda_driver_version = driver.cuda_version;
    gpu.problems = driver.problems;
    ReadFacts(nvml, device, gpu);
    Read(nvml.PciInfo(device), gpu, [&](const nvml::PciInfo& pci) { ReadBus(files, sysfs, pci, gpu); });
    ReadMig(nvml, device, gpu);
  }
  std::ranges::sort(found.gpus, {}, &Gpu::minor);
  return found;
}

std::string PcieRoot(const std::string& sysfs, const std::string& address) {
  // .../devices/pci0000:00/0000:00:01.0/0000:01:00.0
  std::error_code error;
  const std::filesystem::path link = std::filesystem::read_symlink(sysfs + "/bus/pci/devices/" + address, error);
  if (error) return "";
  for (const std::filesystem::path& part : link) {
    if (part.string().starts_with("pci")) return part.string();
  }
  return "";
}

bool HasNvidiaGpu(const FileSystem& files, const std::string& sysfs) {
  const std::string folder = StrCat(sysfs, "/bus/pci/devices");
  const Result<std::vector<std::string>> addresses = files.List(folder);
  if (!addresses.ok()) return false;
  return std::ranges::any_of(*addresses, [&](const std::string& address) {
    const auto starts = [&](std::string_view file, std::string_view begin) {
      const Result<std::string> text = files.ReadFile(StrCat(folder, "/", address, "/", file), kMostSysfsBytes);
      return text.ok() && text->starts_with(begin);
    };
    return starts("vendor", "0x10de") && starts("class", "0x03");  // NVIDIA, display controller
  });
}

}  // namespace allot::device::nvidia
