#include "device/nvidia/event_watch.h"

#include <algorithm>

namespace allot::device::nvidia {
namespace {

constexpr size_t kMostAtOnce = 256;
constexpr uint64_t kXidOfDoubleBitError = 48;

int InstanceOf(unsigned id) { return id == nvml::kNoInstance ? Place::kAll : static_cast<int>(id); }

}  // namespace

EventWatch::~EventWatch() {
  if (set_) nvml_.FreeEventSet(set_);
}

Status EventWatch::Add(const std::string& uuid) {
  if (gpus_.contains(uuid)) return {};
  ASSIGN_OR_RETURN(const nvml::Device gpu, nvml_.DeviceByUuid(uuid));
  ASSIGN_OR_RETURN(const uint64_t supported, nvml_.SupportedEvents(gpu));
  // Single-bit errors are left out, because the hardware corrects them.
  const uint64_t types = supported & (nvml::kEventXidCritical | nvml::kEventDoubleBitEcc);
  if (types == 0) return Unsupported("this GPU reports no errors");
  if (!set_) {
    ASSIGN_OR_RETURN(set_, nvml_.CreateEventSet());
  }
  TRY(nvml_.RegisterEvents(gpu, types, set_));
  gpus_[uuid] = gpu;
  return {};
}

Result<std::vector<DeviceError>> EventWatch::Wait(std::chrono::milliseconds timeout) const {
  std::vector<DeviceError> errors;
  auto patience = static_cast<unsigned>(timeout.count());
  while (errors.size() < kMostAtOnce) {
    const Result<std::optional<nvml::EventData>> event = nvml_.WaitEvent(set_, patience);
    // The errors so far are returned first, because NVML does not report them again. The next call fails in the same way.
    if (!event.ok() && !errors.empty()) break;
    TRY(event.status());
    if (!*event) break;
    const nvml::EventData& data = **event;
    const auto gpu = std::ranges::find(gpus_, data.device, &decltype(gpus_)::value_type::second);
    if (gpu == gpus_.end()) {
      if (errors.empty()) return Unavailable("NVML reported an error of an unknown GPU");
      break;  // The other errors are returned; the next scan shows this one.
    }
    const uint64_t xid = data.eventType == nvml::kEventXidCritical ? data.eventData : kXidOfDoubleBitError;
    errors.push_back({{gpu->first, InstanceOf(data.gpuInstanceId), InstanceOf(data.computeInstanceId)}, xid});
    patience = 0;
  }
  return errors;
}

}  // namespace allot::device::nvidia
