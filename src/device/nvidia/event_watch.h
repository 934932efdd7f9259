#pragma once
// Waits for the errors that NVML reports.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/nvidia/health.h"
#include "device/nvidia/nvml.h"

namespace allot::device::nvidia {

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

  // Waits for the GPU's errors too, from now on. Another call for the same GPU is ok. kUnsupported: the GPU or the driver does not report
  // them.
  Status Add(const std::string& uuid);
  bool Has(const std::string& uuid) const { return gpus_.contains(uuid); }
  // Whether there is no GPU to wait for.
  bool IsEmpty() const { return gpus_.empty(); }

  // Returns the errors that came within `timeout`: the first one and those that came with it. An error: NVML cannot wait now, or reported
  // an event that belongs to no known device; the caller should scan the GPUs.
  Result<std::vector<DeviceError>> Wait(std::chrono::milliseconds timeout) const;

 private:
  const Nvml& nvml_;
  nvml::EventSet set_ = nullptr;
  std::map<std::string, nvml::Device> gpus_;
};

}  // namespace allot::device::nvidia
