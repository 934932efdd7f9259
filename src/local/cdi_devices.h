#pragma once
// The devices of a claim on one machine, prepared in the same way as for containers of a cluster (node/prepare/prepare.h).
//
// A process gets the environment of the CDI spec, most of all ALLOT_GPU_MEMORY_<UUID>__<share>=<MiB>. It sees the device nodes of all GPUs,
// so CUDA_VISIBLE_DEVICES and NVIDIA_VISIBLE_DEVICES hold the UUIDs of its own GPUs, in the order of the allocation.

#include <mutex>
#include <set>
#include <string>

#include "base/file_system.h"
#include "local/devices.h"
#include "node/prepare/prepare.h"

namespace allot::local {

inline constexpr char kCudaVisible[] = "CUDA_VISIBLE_DEVICES";
inline constexpr char kNvidiaVisible[] = "NVIDIA_VISIBLE_DEVICES";

class CdiDevices final : public Devices {
 public:
  // `cdi_folder` has the Preparer's specs. `more` is added to the environment of every process with a device. The first two must outlive
  // it.
  CdiDevices(node::Preparer& preparer, const FileSystem& files, std::string cdi_folder, Environment more = {})
      : preparer_(preparer), files_(files), cdi_folder_(std::move(cdi_folder)), more_(std::move(more)) {}

  // kNotFound: the claim has no device for one of the requests.
  Result<DeviceAccess> Prepare(const node::ClaimRef& claim, std::span<const std::string> requests, const Patience& patience) override;
  void Keep(const std::string& claim_uid) override;
  Status Unprepare(const node::ClaimRef& claim, const Patience& patience) override;

  // Whether a process uses the claim.
  bool IsInUse(const std::string& claim_uid) const;

 private:
  node::Preparer& preparer_;
  const FileSystem& files_;
  const std::string cdi_folder_;
  const Environment more_;
  mutable std::mutex mutex_;
  std::set<std::string> in_use_;  // UIDs of claims
};

}  // namespace allot::local
