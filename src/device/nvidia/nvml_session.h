#pragma once
// The NVML of this process. One thread opens and closes it while other threads call it.
//
// NVML counts its users and searches for GPUs again only after the last one has left. So there is one Nvml, and closing waits for calls
// that are under way.

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "base/status.h"
#include "device/nvidia/driver_root.h"
#include "device/nvidia/nvml.h"

namespace allot::device::nvidia {

class NvmlSession {
 public:
  // For the owner's thread. Returns the library, or null while it is closed.
  const Nvml* get() const { return nvml_.get(); }
  // Closes the library if it is open, and opens it again.
  Status Open(const DriverRoot& root) {
    Close(Unavailable("the NVIDIA driver's library is being opened"));
    Result<std::unique_ptr<Nvml>> nvml = Nvml::Open(root);
    const std::unique_lock lock(mutex_);
    status_ = nvml.status();
    if (nvml.ok()) nvml_ = *std::move(nvml);
    return status_;
  }
  // Other threads get the error `why` from now on.
  void Close(Status why) {
    const std::unique_lock lock(mutex_);
    nvml_.reset();
    status_ = std::move(why);
  }

  // For any thread. Returns use(nvml), or the reason why the library is closed.
  template <typename Use>
  auto With(Use use) const -> decltype(use(std::declval<const Nvml&>())) {
    const std::shared_lock lock(mutex_);
    if (!nvml_) return status_;
    return use(*nvml_);
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unique_ptr<Nvml> nvml_;
  Status status_ = Unavailable("the NVIDIA driver's library is not open yet");
};

}  // namespace allot::device::nvidia
