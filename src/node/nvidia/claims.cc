#include "node/nvidia/claims.h"

#include <algorithm>

#include "node/nvidia/devices.h"
#include "node/nvidia/edits.h"
#include "node/nvidia/gpu_config.h"
#include "node/nvidia/share_state.h"

namespace allot::node::nvidia {

namespace {

constexpr std::chrono::seconds kLongest{40};  // to wait if the caller has no deadline
constexpr std::string_view kTimeSliceStep = "time-slice";

// Returns the interval that the share wants for its GPU. Empty: none.
std::string IntervalOf(const Share& share) {
  const Result<ShareState> state = ShareState::FromJson(share.state);
  if (!state.ok() || state->sharing.strategy != "TimeSlicing" || share.is_part()) return {};
  return state->sharing.interval;
}

std::string IntervalOf(const Holding& holding, std::string_view gpu_uuid) {
  std::string interval;
  for (const Share& share : holding.shares) {
    if (share.uuid != gpu_uuid) continue;
    if (std::string wanted = IntervalOf(share); !wanted.empty()) interval = std::move(wanted);
  }
  return interval;
}

// A journal that a newer release wrote can have steps that this one does not know.
Status CheckKind(const Step& step) {
  return step.kind == kTimeSliceStep ? Status() : Invalid("unknown step ", Quoted(step.kind), "; a newer allot made it");
}

Result<HeldDevice> DeviceOf(const model::DeviceResult& result, std::span<const device::nvidia::Gpu> gpus) {
  const auto found = FindDevice(gpus, result.device);
  if (found) return HeldDevice{found->uuid(), found->gpu->uuid, found->memory_mib().value_or(0), ""};
  std::string known;
  for (const device::nvidia::Gpu& gpu : gpus) {
    known += StrCat(known.empty() ? "" : ", ", DeviceName(gpu), gpu.mig_enabled ? " (in MIG mode)" : "");
  }
  return NotFound("request ", Quoted(result.request), ": device ", result.device, " is not on this node (",
                  known.empty() ? "it has no GPU" : known, ")");
}

}  // namespace

std::string_view Claims::name() const { return kDriver; }

Status Claims::Present() {
  ASSIGN_OR_RETURN(const std::vector<device::nvidia::Gpu> gpus, parts_.gpus());
  return gpus.empty() ? Unavailable("the GPUs of this node are gone") : Status();
}

Result<std::vector<HeldDevice>> Claims::Hold(const model::Allocation& allocation, std::span<const model::DeviceResult* const> results) {
  ASSIGN_OR_RETURN(const std::vector<device::nvidia::Gpu> gpus, parts_.gpus());
  std::vector<HeldDevice> devices;
  std::vector<std::string> uuids;
  for (const model::DeviceResult* result : results) {
    ASSIGN_OR_RETURN(HeldDevice device, DeviceOf(*result, gpus));
    uuids.push_back(device.uuid);
    devices.push_back(std::move(device));
  }
  std::sort(uuids.begin(), uuids.end());
  uuids.erase(std::unique(uuids.begin(), uuids.end()), uuids.end());
  for (size_t i = 0; i < results.size(); ++i) {
    HeldDevice& device = devices[i];
    ShareState state{.toolkit = parts_.toolkit.Has(device.uuid), .sharing = {}};
    // Admin access has no settings, so that it changes nothing for other claims.
    if (!results[i]->admin_access) {
      ASSIGN_OR_RETURN(state.sharing, SharingOf(allocation, kDriver, *results[i], device.parent != device.uuid, device.uuid, uuids));
    }
    device.state = state.ToJson();
  }
  return devices;
}

Status Claims::CheckTogether(const Share& theirs, const Share& ours) const {
  ASSIGN_OR_RETURN(const ShareState a, ShareState::FromJson(theirs.state));
  ASSIGN_OR_RETURN(const ShareState b, ShareState::FromJson(ours.state));
  const Status settings = Compatible(a.sharing, b.sharing);
  if (settings.ok()) return {};
  return Unavailable(settings.message(), "; use the same GpuConfig for claims that share, or ask for a GPU of its own");
}

std::vector<Step> Claims::Steps(const Holding& holding) const {
  std::vector<Step> steps;
  for (const Share& share : holding.shares) {
    Step step{std::string(kTimeSliceStep), share.uuid, ""};
    const bool known = std::any_of(steps.begin(), steps.end(), [&](const Step& each) { return each.IsSame(step); });
    if (!known && !IntervalOf(share).empty()) steps.push_back(std::move(step));
  }
  return steps;
}

Result<std::string> Claims::Make(const StepCall& call) {
  TRY(CheckKind(call.step));
  ASSIGN_OR_RETURN(const auto lock, LockTimeSlices(call.patience));
  TRY(parts_.time_slice.Set(call.step.device, IntervalOf(call.holding, call.step.device), call.patience));
  return std::string();
}

Status Claims::Unmake(const StepCall& call) {
  TRY(CheckKind(call.step));
  // The holdings are read under the lock. So a claim that comes now is among them, or sets its own interval later.
  ASSIGN_OR_RETURN(const auto lock, LockTimeSlices(call.patience));
  ASSIGN_OR_RETURN(const Holdings others, call.others());
  std::string interval = "Default";
  for (const auto& [uid, other] : others) {
    if (std::string wanted = IntervalOf(*other, call.step.device); !wanted.empty()) interval = std::move(wanted);
  }
  if (const Status set = parts_.time_slice.Set(call.step.device, interval, call.patience); !set.ok()) parts_.log(set.message());
  return {};
}

Result<std::unique_lock<std::timed_mutex>> Claims::LockTimeSlices(const Patience& patience) {
  std::unique_lock lock(time_slices_, std::defer_lock);
  if (!lock.try_lock_until(patience.deadline.value_or(std::chrono::steady_clock::now() + kLongest)))
    return Unavailable("the time slice of another GPU is still being set");
  return lock;
}

Environment Claims::VisibleDevices(std::span<const std::string> uuids) const {
  if (uuids.empty()) return {{"CUDA_VISIBLE_DEVICES", "-1"}, {"NVIDIA_VISIBLE_DEVICES", "void"}};
  const std::string list = Join({uuids.begin(), uuids.end()}, ",");
  return {{"CUDA_VISIBLE_DEVICES", list}, {"NVIDIA_VISIBLE_DEVICES", list}};
}

std::vector<std::string> Claims::OtherCdiDevices(const Share& share) const {
  const Result<ShareState> state = ShareState::FromJson(share.state);
  if (!state.ok() || !state->toolkit) return {};
  return {StrCat("nvidia.com/gpu=", share.uuid)};
}

Result<ClaimEdits> Claims::Edits(const Holding& holding, const std::string& hook) {
  for (const Share& share : holding.shares) {
    ASSIGN_OR_RETURN(const ShareState state, ShareState::FromJson(share.state));
    if (state.sharing.strategy == "MPS" && !parts_.files.Exists(parts_.mps_pipes_here + "/control")) {
      return Unavailable("the claim wants MPS, but no MPS daemon runs on this node (", parts_.mps_pipes_here,
                         "/control is missing); start nvidia-cuda-mps-control -d");
    }
  }
  ASSIGN_OR_RETURN(const std::vector<device::nvidia::Gpu> gpus, parts_.gpus());
  return EditsOf(holding, {parts_.files, parts_.root, parts_.proc, parts_.mps_pipes, hook, gpus});
}

}  // namespace allot::node::nvidia
