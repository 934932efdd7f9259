#pragma once
// CDI: what a container gets of a claim, in a file that the container runtime reads.
//
// One file for each claim, "k8s.gpu.nvidia.com-claim_<UID>.yaml", with one device for each share, "<UID>-<device>". JSON, which is YAML
// too. It can be made again from the claim's Holding at any time, so it is not synced to the disk.
//
// A container sees of a share
//   - the device nodes of the GPU or MIG device, and those that all GPUs have in common;
//   - the driver's libraries and programs, with a hook that tells the container's linker;
//   - ALLOT_GPU_MEMORY_<UUID>__<share>=<MiB>: what it may use. By GPU and share, so that two claims in one container both stand;
//   - NVIDIA_VISIBLE_DEVICES=void: the injection is complete, NVIDIA's own runtime has nothing to add.
// Where the NVIDIA container toolkit's own spec (kind nvidia.com/gpu) has the GPU, its device does all but the limit, and ours adds that.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "device/gpu.h"
#include "node/driver_files.h"
#include "node/holding.h"

namespace allot::node {

inline constexpr std::string_view kCdiKind = "k8s.gpu.nvidia.com/claim";
inline constexpr std::string_view kCdiPrefix = "k8s.gpu.nvidia.com-claim_";  // of our files

struct CdiOptions {
  std::string folder = "/var/run/cdi";  // of our files
  std::string hook;                     // our program, by its path on the host; empty: no hook
  std::string proc = "/proc";
  std::string mps_pipes = "/tmp/nvidia-mps";  // of the MPS daemon, on the host
};

class Cdi {
 public:
  // `files` must outlive it.
  Cdi(FileSystem& files, CdiOptions options, DriverRoot root) : files_(files), options_(std::move(options)), root_(std::move(root)) {}

  // The IDs of the share's devices: what kubelet hands to the container runtime.
  std::vector<std::string> DeviceIds(const Holding& holding, size_t share) const;

  // Makes the claim's file what it should be on this machine, now: nothing is written where it is. kUnavailable where a device of the
  // claim, or a device node, is missing: it may come back.
  Status Write(const Holding& holding, std::span<const device::Gpu> gpus);
  // Ok where there is none.
  Status Remove(std::string_view uid);

  bool Has(std::string_view uid) const { return files_.Exists(PathOf(uid)); }
  // Whose file it is. kInvalid where it does not say so.
  Result<ClaimRef> ClaimOf(std::string_view uid) const;
  // The claims that have a file.
  Result<std::vector<std::string>> Uids() const;

 private:
  std::string PathOf(std::string_view uid) const;
  Result<std::string> Spec(const Holding& holding, std::span<const device::Gpu> gpus) const;

  FileSystem& files_;
  const CdiOptions options_;
  const DriverRoot root_;
};

}  // namespace allot::node
