#pragma once
// The devices of a claim on one machine, prepared in the same way as for containers of a cluster (node/prepare/prepare.h).
//
// A process gets the environment of the CDI spec, most of all ALLOT_GPU_MEMORY_<UUID>__<share>=<MiB>. It sees the device nodes of all GPUs,
// so the driver's variables (CUDA_VISIBLE_DEVICES) hold the UUIDs of its own GPUs, in the order of the allocation.

#include <mutex>
#include <set>
#include <string>

#include "local/devices.h"
#include "node/prepare/prepare.h"

namespace allot::local {

class CdiDevices final : public Devices {
 public:
  // `more` is added to the environment of every process with a device. `preparer` must outlive it.
  explicit CdiDevices(node::Preparer& preparer, Environment more = {}) : preparer_(preparer), more_(std::move(more)) {}

  // kNotFound: the claim has no device for one of the requests.
  Result<DeviceAccess> Prepare(const node::ClaimRef& claim, std::span<const std::string> requests, const Patience& patience) override;
  Environment NoDevices() const override { return preparer_.VisibleDevices({}); }
  void Keep(const std::string& claim_uid) override;
  Status Unprepare(const node::ClaimRef& claim, const Patience& patience) override;

  // Whether a process uses the claim.
  bool IsInUse(const std::string& claim_uid) const;

 private:
  node::Preparer& preparer_;
  const Environment more_;
  mutable std::mutex mutex_;
  std::set<std::string> in_use_;  // UIDs of claims
};

}  // namespace allot::local
