#include "node/nvidia/report.h"

#include <charconv>

#include "node/nvidia/devices.h"

namespace allot::node::nvidia {

namespace {

bool IsUnhealthy(const device::nvidia::Health& health) { return health.state == device::nvidia::Health::State::kUnhealthy; }

}  // namespace

DeviceTaints TaintsOf(const device::nvidia::Snapshot& snapshot) {
  DeviceTaints taints;
  for (const auto& [uuid, health] : snapshot.health) {
    if (health.state == device::nvidia::Health::State::kHealthy || health.key.empty()) continue;
    taints[uuid].push_back({StrCat(kDriver, "/", health.key), health.value, IsUnhealthy(health) ? "NoSchedule" : "None"});
  }
  return taints;
}

void ReadErrors(const json::Value& devices, std::span<const device::nvidia::Gpu> gpus, std::vector<device::nvidia::DeviceError>& errors) {
  if (!devices.IsArray()) return;
  for (const json::Value& device : devices.Items()) {
    const json::Value& uuid = device["attributes"]["uuid"]["string"];
    if (!uuid.IsString() || !device["taints"].IsArray()) continue;
    const auto found = FindByUuid(gpus, uuid.AsString());
    if (!found) continue;
    for (const json::Value& taint : device["taints"].Items()) {
      const std::string_view value = taint["value"].IsString() ? taint["value"].AsString() : std::string_view();
      uint64_t xid = 0;
      if (!taint["key"].IsString() || taint["key"].AsString() != StrCat(kDriver, "/xid")) continue;
      if (std::from_chars(value.data(), value.data() + value.size(), xid).ec != std::errc()) continue;
      device::nvidia::Place place{found->gpu->uuid};
      if (found->mig != nullptr) place = {found->gpu->uuid, found->mig->gpu_instance, found->mig->compute_instance};
      errors.push_back({place, xid});
    }
  }
}

std::vector<DeviceReport> ReportsOf(const device::nvidia::Snapshot& snapshot) {
  std::vector<DeviceReport> devices;
  const auto add = [&](const std::string& uuid, std::string name, const std::string& model, std::optional<int64_t> memory_mib) {
    DeviceReport& device = devices.emplace_back(uuid, std::move(name), model, memory_mib);
    const auto found = snapshot.health.find(uuid);
    if (found == snapshot.health.end()) return;
    device.health = IsUnhealthy(found->second) ? DeviceReport::Health::kUnhealthy : DeviceReport::Health::kHealthy;
    device.message = found->second.message;
  };
  for (const device::nvidia::Gpu& gpu : snapshot.gpus) {
    if (!gpu.mig_enabled) add(gpu.uuid, DeviceName(gpu), gpu.product_name, gpu.memory_mib);
    for (const device::nvidia::MigDevice& mig : gpu.mig) add(mig.uuid, DeviceName(gpu, mig), gpu.product_name, mig.memory_mib);
  }
  return devices;
}

DeviceUse UseOf(const device::nvidia::Inventory& inventory) {
  DeviceUse use;
  for (const auto& [uuid, health] : inventory.snapshot()->health) {
    if (const Result<int64_t> mib = inventory.UsedMemoryMib(uuid); mib.ok()) use.used_mib[uuid] = *mib;
    const Result<std::vector<device::nvidia::GpuProcess>> processes = inventory.Processes(uuid);
    if (!processes.ok()) continue;
    for (const device::nvidia::GpuProcess& process : *processes) {
      if (process.used_mib) use.processes.push_back({uuid, process.pid, *process.used_mib});
    }
  }
  return use;
}

}  // namespace allot::node::nvidia
