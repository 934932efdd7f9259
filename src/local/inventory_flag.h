#pragma once
// The GPUs of `allot up --gpus`: those of the machine, or simulated ones.
//
//   real                     the GPUs of the machine (the default)
//   rtx3090:2,rtx3060        simulated: two of one model, one of another; every node has these
//   rtx3090:2/rtx3060/none   one list for each node
//   none                     no GPUs

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::local {

struct NodeGpus {
  bool real = false;                // the GPUs of the machine
  std::vector<std::string> models;  // of simulated GPUs, by minor (device/fake_nvml/models.h); empty if `real`

  friend bool operator==(const NodeGpus&, const NodeGpus&) = default;
};

// Returns the GPUs of each node. If `nodes` is 0, there are as many nodes as `gpus` has lists. If `gpus` is empty, the GPUs are real.
// kInvalid names the flag and what would be right. Real GPUs cannot be on two nodes, since each would promise them.
Result<std::vector<NodeGpus>> ReadGpus(std::string_view gpus, int nodes);

inline constexpr int kMostNodes = 64;
inline constexpr int kMostGpus = 64;  // of a node

}  // namespace allot::local
