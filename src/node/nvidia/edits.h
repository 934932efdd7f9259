#pragma once
// What a container with a claim for NVIDIA's GPUs gets. For each share these are
//   - the device nodes of the GPU or MIG device, and those that all GPUs have in common;
//   - the driver's libraries and programs, and a hook that makes the container's linker find them;
//   - ALLOT_GPU_MEMORY_<UUID>__<share>=<MiB>: the memory that it may use. GPU and share are in the name, so that a container can have two
//     claims;
//   - NVIDIA_VISIBLE_DEVICES=void, which tells NVIDIA's own runtime that it has nothing to add.
// If the NVIDIA container toolkit's own spec (kind nvidia.com/gpu) has the GPU, its device does all that except the limit.

#include <span>
#include <string>

#include "base/file_system.h"
#include "device/nvidia/gpu.h"
#include "node/nvidia/driver_files.h"
#include "node/prepare/container_edits.h"
#include "node/prepare/holding.h"

namespace allot::node::nvidia {

struct EditsInput {
  const FileSystem& files;
  const DriverRoot& root;
  const std::string& proc;       // "/proc"
  const std::string& mps_pipes;  // of the MPS daemon, as the host sees them
  const std::string& hook;       // the path of allot-cdi-hook on the host; empty: none
  std::span<const device::nvidia::Gpu> gpus;
};

// kUnavailable: a GPU of the claim or a device node is missing; it may come back.
Result<ClaimEdits> EditsOf(const Holding& holding, const EditsInput& input);

}  // namespace allot::node::nvidia
