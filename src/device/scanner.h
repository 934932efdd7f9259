#pragma once
// Keeps up with the GPUs of a machine, step by step: what is there, what is wrong with it, and when to look again. No threads of its own.
//
// Promises:
//   1. what was known of a GPU is not lost because a call fails: its attributes stay as they were, and a GPU that does not answer at all
//      stays in the list, as lost, as long as NVML counts it. Claims that hold it must not lose sight of it;
//   2. a GPU that was plugged in, removed or reset is noticed although NVML looks for GPUs only when it is opened: the driver's devices in
//      sysfs say when to open it again, and while a GPU is lost it is opened again once a minute;
//   3. where NVML is missing or broken, there are no GPUs and the status says why; it is tried again, at first after a second, then after
//      twice as long each time, up to 30 seconds.
// One thread at a time; the session's With() is for the others.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/status.h"
#include "device/discovery.h"
#include "device/event_watch.h"
#include "device/health.h"
#include "device/nvml_session.h"

namespace allot::device {

struct ScanOptions {
  std::string driver_root = "/";
  std::string sysfs = "/sys";
  std::chrono::seconds interval{15};  // between two looks while nothing happens
  HealthOptions health;
};

// What is known at one moment.
struct Snapshot {
  Status status;                         // not ok: no GPUs, and why
  std::vector<Gpu> gpus;                 // by minor
  std::map<std::string, Health> health;  // by UUID: of each GPU and each MIG device
  std::vector<std::string> left_out;     // sentences: GPUs that cannot be offered

  friend bool operator==(const Snapshot& a, const Snapshot& b) {
    return a.status.code() == b.status.code() && a.status.message() == b.status.message() && a.gpus == b.gpus && a.health == b.health &&
           a.left_out == b.left_out;
  }
};

class Scanner {
 public:
  // All must outlive it.
  Scanner(ScanOptions options, const FileSystem& files, const Clock& clock, NvmlSession& session);
  ~Scanner();

  bool IsDue() const { return clock_.MonotonicNow() >= next_; }
  Snapshot Scan();

  // An error of before: the next Scan() shows it.
  void Recall(const DeviceError& error) { book_.OnXid(error.place, error.xid); }

  // Whether WaitForErrors has anything to wait for.
  bool CanWait() const { return watch_ && !watch_->IsEmpty(); }
  // Whether errors came within `timeout`: then Scan() shows them. An error: NVML cannot wait now; Scan() may show why. REQUIRES CanWait().
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
  std::vector<Gpu> known_;           // of the last scan that worked
  std::vector<std::string> bound_;   // when the session was opened
  bool any_lost_ = false;
  MonotonicTime next_;
  MonotonicTime reopen_;  // not before, while a GPU is lost
  std::chrono::seconds pause_;
};

}  // namespace allot::device
