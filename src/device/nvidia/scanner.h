#pragma once
// Scans the GPUs of a machine: which GPUs there are, what is wrong with them, and when to scan again. It has no threads.
//
// Promises:
//   1. a call that fails loses nothing: attributes keep their values, and a GPU that does not answer stays in the list, as lost, as long as
//      NVML counts it, because claims may hold it;
//   2. a GPU that was added, removed or reset is noticed, although NVML searches for GPUs only when it is opened: the driver's devices in
//      sysfs show when to open it again, and while a GPU is lost it is opened again once a minute;
//   3. if NVML is missing or broken, there are no GPUs and the status says why. The scanner tries again after a second, then after twice as
//      long each time, up to 30 seconds.
// One thread at a time; other threads use the session's With().

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/status.h"
#include "device/nvidia/discovery.h"
#include "device/nvidia/event_watch.h"
#include "device/nvidia/health.h"
#include "device/nvidia/nvml_session.h"

namespace allot::device::nvidia {

struct ScanOptions {
  std::string driver_root = "/";
  std::string sysfs = "/sys";
  std::chrono::seconds interval{15};  // between two scans while nothing happens
  HealthOptions health;
};

// The result of a scan.
struct Snapshot {
  Status status;                         // an error says why there are no GPUs
  std::vector<Gpu> gpus;                 // by minor
  std::map<std::string, Health> health;  // of each GPU and each MIG device, by UUID
  std::vector<std::string> left_out;     // a sentence about each GPU that cannot be offered

  friend bool operator==(const Snapshot& a, const Snapshot& b) {
    return a.status.code() == b.status.code() && a.status.message() == b.status.message() && a.gpus == b.gpus && a.health == b.health &&
           a.left_out == b.left_out;
  }
};

class Scanner {
 public:
  // All references must outlive it.
  Scanner(ScanOptions options, const FileSystem& files, const Clock& clock, NvmlSession& session);
  ~Scanner();

  bool IsDue() const { return clock_.MonotonicNow() >= next_; }
  Snapshot Scan();

  // Adds an error from before a restart. The next Scan() shows it.
  void Recall(const DeviceError& error) { book_.OnXid(error.place, error.xid); }

  // Whether WaitForErrors has anything to wait for.
  bool CanWait() const { return watch_ && !watch_->IsEmpty(); }
  // Returns whether errors came within `timeout`; Scan() shows them. An error: NVML cannot wait now, and Scan() may show why. REQUIRES
  // CanWait().
  Result<bool> WaitForErrors(std::chrono::milliseconds timeout);

 private:
  Status OpenIfNeeded();
  Snapshot Broken(Status why);
  std::vector<Gpu> Merge(Discovery& found);
  void CheckAnswer(const Gpu& gpu);
  void Watch(const std::vector<Gpu>& gpus);
  std::vector<std::string> BoundDevices() const;

  const ScanOptions options_;
  const DriverRoot root_;
  const FileSystem& files_;
  const Clock& clock_;
  NvmlSession& session_;
  HealthBook book_;
  std::optional<EventWatch> watch_;  // while the session is open
  std::vector<Gpu> known_;           // of the last scan that succeeded
  std::vector<std::string> bound_;   // when the session was opened
  bool any_lost_ = false;
  MonotonicTime next_;
  MonotonicTime reopen_;  // while a GPU is lost: when to open NVML again
  std::chrono::seconds pause_;
};

}  // namespace allot::device::nvidia
