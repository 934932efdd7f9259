#include "node/report.h"

#include <charconv>

#include "node/devices.h"
#include "node/metrics.h"
#include "node/usage.h"

namespace allot::node {

namespace {

bool IsUnhealthy(const device::Health& health) { return health.state == device::Health::State::kUnhealthy; }

}  // namespace

DeviceTaints TaintsOf(const device::Snapshot& snapshot) {
  DeviceTaints taints;
  for (const auto& [uuid, health] : snapshot.health) {
    if (health.state == device::Health::State::kHealthy || health.key.empty()) continue;
    taints[uuid].push_back({StrCat(kDriver, "/", health.key), health.value, IsUnhealthy(health) ? "NoSchedule" : "None"});
  }
  return taints;
}

void ReadErrors(const json::Value& devices, std::span<const device::Gpu> gpus, std::vector<device::DeviceError>& errors) {
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
      device::Place place{found->gpu->uuid};
      if (found->mig != nullptr) place = {found->gpu->uuid, found->mig->gpu_instance, found->mig->compute_instance};
      errors.push_back({place, xid});
    }
  }
}

std::vector<rpc::DeviceHealth> HealthOf(const device::Snapshot& snapshot, const std::string& node_name, WallTime now,
                                        std::chrono::seconds timeout) {
  using State = rpc::DeviceHealth::State;
  std::vector<rpc::DeviceHealth> devices;
  const auto add = [&](const std::string& uuid, std::string name) {
    rpc::DeviceHealth& device = devices.emplace_back(node_name, std::move(name), State::kUnknown, now, timeout, "");
    const auto found = snapshot.health.find(uuid);
    if (found == snapshot.health.end()) return;
    device.state = IsUnhealthy(found->second) ? State::kUnhealthy : State::kHealthy;
    device.message = found->second.message;
  };
  for (const device::Gpu& gpu : snapshot.gpus) {
    if (!gpu.mig_enabled) add(gpu.uuid, DeviceName(gpu));
    for (const device::MigDevice& mig : gpu.mig) add(mig.uuid, DeviceName(gpu, mig));
  }
  return devices;
}

void AppendUse(const device::Inventory& inventory, const KubeWorld& world, const Holdings& holdings, const FileSystem& files,
               const std::string& proc, std::string_view node_name, std::string& text) {
  const std::shared_ptr<const device::Snapshot> snapshot = inventory.snapshot();
  std::map<std::string, int64_t> used;
  std::map<std::string, bool> healthy;
  std::map<std::string, std::map<std::string, int64_t>> by_pod;  // UID of the Pod, UUID of the device
  for (const auto& [uuid, health] : snapshot->health) {
    healthy[uuid] = !IsUnhealthy(health);
    if (const Result<int64_t> mib = inventory.UsedMemoryMib(uuid); mib.ok()) used[uuid] = *mib;
    const Result<std::vector<device::GpuProcess>> processes = inventory.Processes(uuid);
    if (!processes.ok()) continue;
    for (const device::GpuProcess& process : *processes) {
      const std::string pod = PodOfProcess(files, proc, process.pid);
      if (!pod.empty() && process.used_mib) by_pod[pod][uuid] += *process.used_mib;
    }
  }
  std::map<std::string, ClaimUse, std::less<>> claims;
  for (const auto& [uid, pods] : world.Pods()) {
    ClaimUse& use = claims[uid];
    for (const PodRef& pod : pods) {
      use.pods.push_back(pod.name);
      for (const auto& [uuid, mib] : by_pod[pod.uid]) use.used_mib[uuid] += mib;
    }
  }
  AppendGpuMetrics({snapshot->gpus, holdings, used, claims, std::move(healthy), node_name}, text);
}

}  // namespace allot::node
