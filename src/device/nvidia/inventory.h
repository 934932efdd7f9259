#pragma once
// The GPUs of this machine and their health. One thread keeps them up to date.
//
//   Inventory inventory({.driver_root = "/run/nvidia/driver"}, files, clock, [&] { queue.Add("publish"); });
//   inventory.Start();
//   for (const Gpu& gpu : inventory.snapshot()->gpus) ...
//
// Thread-safe.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/status.h"
#include "device/nvidia/nvml_session.h"
#include "device/nvidia/scanner.h"

namespace allot::device::nvidia {

struct InventoryOptions {
  ScanOptions scan;
  // The longest time before the thread looks at the clock, Rescan and Stop. A wait in NVML cannot be interrupted.
  std::chrono::milliseconds tick{1000};
};

struct GpuProcess {
  int64_t pid = 0;                  // in the PID namespace of the machine
  std::optional<int64_t> used_mib;  // absent: unknown
};

class Inventory {
 public:
  // The inventory's thread calls `on_change` after the first scan, and after each scan whose result differs from the last one. It must
  // return soon and must not call Stop. `files` and `clock` must outlive it.
  Inventory(InventoryOptions options, const FileSystem& files, const Clock& clock, std::function<void()> on_change);
  ~Inventory() { Stop(); }

  void Start();
  // Waits for the thread, up to a tick. on_change is not called after it.
  void Stop();
  // Scans again soon.
  void Rescan();
  // Adds errors from before a restart, as if they came now.
  void Recall(std::vector<DeviceError> errors);

  // Returns the result of the last scan. Before the first scan it has no GPUs, and its status says why.
  std::shared_ptr<const Snapshot> snapshot() const;
  // An error says why there are no GPUs.
  Status status() const { return snapshot()->status; }

  // Returns what a GPU or a MIG device uses now, in whole MiB, rounded up. kNotFound: no such device. kUnsupported: unknown.
  Result<int64_t> UsedMemoryMib(const std::string& uuid) const;
  // Returns the processes that compute on the device, by PID.
  Result<std::vector<GpuProcess>> Processes(const std::string& uuid) const;

 private:
  void Run();
  void Look();
  void Rest();
  bool IsStopping() const;
  bool TakeRescan();
  std::vector<DeviceError> TakeRecalled();

  const InventoryOptions options_;
  const std::function<void()> on_change_;
  NvmlSession session_;
  Scanner scanner_;  // used by the thread alone
  std::thread thread_;

  mutable std::mutex mutex_;  // of the members below
  std::condition_variable wake_;
  bool stopping_ = false, rescan_ = false;
  std::vector<DeviceError> recalled_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace allot::device::nvidia
