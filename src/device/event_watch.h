#pragma once
// The errors that NVML reports while a program waits for them.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/health.h"
#include "device/nvml.h"

namespace allot::device {

struct DeviceError {
  Place place;
  uint64_t xid = 0;
};

// Not thread-safe.
class EventWatch {
 public:
  // `nvml` must outlive it.
  explicit EventWatch(const Nvml& nvml) : nvml_(nvml) {}
  ~EventWatch();
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;

  // Hears of the GPU's errors from now on; again is fine. kUnsupported: the card or the driver does not report them.
  Status Add(const std::string& uuid);
  bool Has(const std::string& uuid) const { return gpus_.contains(uuid); }
  // Whether there is no GPU to wait for.
  bool IsEmpty() const { return gpus_.empty(); }

  // What came within `timeout`: returns with the first error, and with those that came along with it. An error: NVML cannot wait now, or
  // something came that it cannot place; the GPUs are to be looked at.
  Result<std::vector<DeviceError>> Wait(std::chrono::milliseconds timeout) const;

 private:
  const Nvml& nvml_;
  nvml::EventSet set_ = nullptr;
  std::map<std::string, nvml::Device> gpus_;
};

}  // namespace allot::device
