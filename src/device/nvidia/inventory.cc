#include "device/nvidia/inventory.h"

#include <algorithm>
#include <utility>

#include "model/memory.h"

namespace allot::device::nvidia {
namespace {

int64_t ToMiB(uint64_t bytes) { return model::MiB::Taken(static_cast<int64_t>(bytes)).count(); }

}  // namespace

Inventory::Inventory(InventoryOptions options, const FileSystem& files, const Clock& clock, std::function<void()> on_change)
    : options_(std::move(options)),
      on_change_(std::move(on_change)),
      scanner_(options_.scan, files, clock, session_),
      snapshot_(std::make_shared<const Snapshot>(Snapshot{.status = Unavailable("the GPUs have not been scanned yet")})) {}

void Inventory::Start() {
  CHECK(!thread_.joinable());
  thread_ = std::thread([this] { Run(); });
}

void Inventory::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Inventory::Rescan() {
  {
    const std::lock_guard lock(mutex_);
    rescan_ = true;
  }
  wake_.notify_all();
}

std::shared_ptr<const Snapshot> Inventory::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void Inventory::Run() {
  while (!IsStopping()) {
    if (TakeRescan() || scanner_.IsDue()) Look();
    if (!scanner_.CanWait()) {
      Rest();
      continue;
    }
    const Result<bool> errors = scanner_.WaitForErrors(options_.tick);
    if (errors.ok() && !*errors) continue;
    Look();
    if (!errors.ok()) Rest();  // another call would fail at once
  }
}

void Inventory::Recall(std::vector<DeviceError> errors) {
  const std::lock_guard lock(mutex_);
  recalled_ = std::move(errors);
  rescan_ = true;
  wake_.notify_all();
}

std::vector<DeviceError> Inventory::TakeRecalled() {
  const std::lock_guard lock(mutex_);
  return std::exchange(recalled_, {});
}

void Inventory::Look() {
  for (const DeviceError& error : TakeRecalled()) scanner_.Recall(error);
  auto now = std::make_shared<const Snapshot>(scanner_.Scan());
  {
    const std::lock_guard lock(mutex_);
    if (*now == *snapshot_) return;
    snapshot_ = std::move(now);
  }
  on_change_();
}

void Inventory::Rest() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, options_.tick, [this] { return stopping_ || rescan_; });
}

bool Inventory::IsStopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

bool Inventory::TakeRescan() {
  const std::lock_guard lock(mutex_);
  return std::exchange(rescan_, false);
}

Result<int64_t> Inventory::UsedMemoryMib(const std::string& uuid) const {
  return session_.With([&](const Nvml& nvml) -> Result<int64_t> {
    ASSIGN_OR_RETURN(const nvml::Device device, nvml.DeviceByUuid(uuid));
    ASSIGN_OR_RETURN(const nvml::Memory memory, nvml.Memory(device));
    return ToMiB(memory.used);
  });
}

Result<std::vector<GpuProcess>> Inventory::Processes(const std::string& uuid) const {
  return session_.With([&](const Nvml& nvml) -> Result<std::vector<GpuProcess>> {
    ASSIGN_OR_RETURN(const nvml::Device device, nvml.DeviceByUuid(uuid));
    ASSIGN_OR_RETURN(const std::vector<nvml::ProcessInfo> infos, nvml.ComputeProcesses(device));
    std::vector<GpuProcess> processes;
    for (const nvml::ProcessInfo& info : infos) {
      GpuProcess& process = processes.emplace_back(GpuProcess{.pid = info.pid});
      if (info.usedGpuMemory != nvml::kNotAvailable) process.used_mib = ToMiB(info.usedGpuMemory);
    }
    std::ranges::sort(processes, {}, &GpuProcess::pid);
    return processes;
  });
}

}  // namespace allot::device::nvidia
