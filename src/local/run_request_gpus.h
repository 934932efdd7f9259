#pragma once
// The GPUs that there are, as slices offer them: of what sizes, and why a share can never be had of them.

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

// Whole GPUs, of all nodes.
Result<std::vector<OfferedGpu>> OfferedGpus(kube::Client& client, const http::Patience& patience);

// Why nobody's end would let this share start, with what there is instead; of what can be told by models, sizes and numbers. Empty: it is
// none of these.
std::string WhyNever(const dialect::Share& share, const std::vector<OfferedGpu>& gpus);

}  // namespace allot::local
