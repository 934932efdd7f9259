#pragma once
// The GPUs of this machine and their health, kept up to date by one thread.
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
#include "device/nvml_session.h"
#include "device/scanner.h"

namespace allot::device {

struct InventoryOptions {
  ScanOptions scan;
  // How long the thread waits at most before it looks at the clock, at Rescan and at Stop: NVML's waiting cannot be interrupted.
  std::chrono::milliseconds tick{1000};
};

struct GpuProcess {
  int64_t pid = 0;                  // in the PID namespace of the machine
  std::optional<int64_t> used_mib;  // absent: the driver does not tell
};

class Inventory {
 public:
  // `on_change` is called by the inventory's thread after the first look, whatever it found, and after each one that found anything else
  // than before. It must return soon and must not call Stop. `files` and `clock` must outlive it.
  Inventory(InventoryOptions options, const FileSystem& files, const Clock& clock, std::function<void()> on_change);
  ~Inventory() { Stop(); }

  void Start();
  // No call of on_change follows. Waits for the thread: up to a tick.
  void Stop();
  // Looks again soon.
  void Rescan();
  // Errors of before, which count as if they came now.
  void Recall(std::vector<DeviceError> errors);

  // The last look. Before the first one: no GPUs, and a status that says so.
  std::shared_ptr<const Snapshot> snapshot() const;
  // Not ok: no GPUs, and why.
  Status status() const { return snapshot()->status; }

  // Of a GPU or a MIG device, now. kNotFound: no such device. kUnsupported: the card does not tell. Whole MiB, rounded up.
  Result<int64_t> UsedMemoryMib(const std::string& uuid) const;
  // Those that compute on it, by PID.
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
  Scanner scanner_;  // the thread's
  std::thread thread_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  bool stopping_ = false, rescan_ = false;
  std::vector<DeviceError> recalled_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace allot::device
