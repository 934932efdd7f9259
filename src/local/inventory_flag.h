#pragma once
// The GPUs of `allot up --gpus`: those of the machine, or simulated ones.
//
//   real                     those of the machine (unless told otherwise)
//   rtx3090:2,rtx3060        simulated: two of one model, one of another; every node has these
//   rtx3090:2/rtx3060/none   one list for each node
//   none                     no GPUs

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::local {

struct NodeGpus {
  bool real = false;                // those of the machine
  std::vector<std::string> models;  // simulated: one for each GPU, by minor (device/fake_nvml/models.h); none where they are real

  friend bool operator==(const NodeGpus&, const NodeGpus&) = default;
};

// One for each node. `nodes` 0: as many as `gpus` has lists. `gpus` empty: real. kInvalid names the flag and what would be right: no GPU
// can be on two nodes, or somebody would be promised it twice.
Result<std::vector<NodeGpus>> ReadGpus(std::string_view gpus, int nodes);

inline constexpr int kMostNodes = 64;
inline constexpr int kMostGpus = 64;  // of a node

}  // namespace allot::local
