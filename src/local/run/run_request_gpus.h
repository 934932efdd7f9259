#pragma once
// The GPUs that ResourceSlices offer, and why a share can never fit on them.

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dialect/share.h"
#include "kube/client.h"

namespace allot::local {

struct OfferedGpu {
  std::string node, model;
  int64_t mib = 0;
};

// The GPUs of all nodes, without MIG devices.
Result<std::vector<OfferedGpu>> OfferedGpus(kube::Client& client, const Patience& patience);

// Why the share would not fit even if all GPUs were free: no GPU of the model, none large enough, or too few. Names the GPUs that exist.
// Empty if none of these is the reason.
std::string WhyNever(const dialect::Share& share, const std::vector<OfferedGpu>& gpus);

}  // namespace allot::local
