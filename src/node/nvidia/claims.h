#pragma once
// Prepares claims for NVIDIA's GPUs: whole GPUs, existing MIG devices, shares of either by memory, time slices and MPS.
//
// The only step is a GPU's time slice, which is a setting of the whole GPU. Claims on the GPU set it, and it becomes the default again when
// the last of these claims is unprepared.

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "device/nvidia/gpu.h"
#include "node/claim_driver.h"
#include "node/nvidia/driver_files.h"
#include "node/nvidia/time_slice.h"
#include "node/nvidia/toolkit_spec.h"

namespace allot::node::nvidia {

class Claims final : public ClaimDriver {
 public:
  struct Parts {
    const FileSystem& files;
    ToolkitSpec& toolkit;
    TimeSlice& time_slice;
    // Returns the GPUs of this machine. kUnavailable: they are not known at the moment.
    std::function<Result<std::vector<device::nvidia::Gpu>>()> gpus;
    DriverRoot root;
    std::string proc = "/proc";
    std::string mps_pipes = "/tmp/nvidia-mps";       // of the MPS daemon, as the host sees them
    std::string mps_pipes_here = "/tmp/nvidia-mps";  // the same, as the agent sees them
    std::function<void(std::string_view)> log = [](std::string_view) {};
  };

  explicit Claims(Parts parts) : parts_(std::move(parts)) {}

  std::string_view name() const override;
  Status Present() override;
  Result<std::vector<HeldDevice>> Hold(const model::Allocation& allocation, std::span<const model::DeviceResult* const> results) override;
  Status CheckTogether(const Share& theirs, const Share& ours) const override;
  std::vector<Step> Steps(const Holding& holding) const override;
  Result<std::string> Make(const StepCall& call) override;
  // An error of the GPU is only logged, since a GPU that failed must not keep its claims for ever.
  Status Unmake(const StepCall& call) override;
  std::vector<std::string> OtherCdiDevices(const Share& share) const override;
  Result<ClaimEdits> Edits(const Holding& holding, const std::string& hook) override;
  Environment VisibleDevices(std::span<const std::string> uuids) const override;

 private:
  Result<std::unique_lock<std::timed_mutex>> LockTimeSlices(const Patience& patience);

  const Parts parts_;
  std::timed_mutex time_slices_;  // locked while a time slice is set
};

}  // namespace allot::node::nvidia
