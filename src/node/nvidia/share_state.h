#pragma once
// What the NVIDIA driver remembers about a share (Share::state).

#include <cstdint>
#include <string>

#include "base/status.h"

namespace allot::node::nvidia {

// The settings that a claim asked for with GpuConfig (gpu_config.h), as far as they affect other claims on the GPU.
struct Sharing {
  std::string strategy;           // TimeSlicing, MPS; empty: none
  std::string interval;           // for TimeSlicing: Default, Short, Medium, Long
  int thread_percentage = 0;      // for MPS; 0: no limit
  int64_t pinned_memory_mib = 0;  // for MPS, of each process; 0: no limit

  friend bool operator==(const Sharing&, const Sharing&) = default;
};

struct ShareState {
  bool toolkit = false;  // the device of NVIDIA's own CDI spec gives access to the GPU (toolkit_spec.h)
  Sharing sharing;

  // Returns an empty string if there is nothing to remember.
  std::string ToJson() const;
  static Result<ShareState> FromJson(const std::string& text);

  friend bool operator==(const ShareState&, const ShareState&) = default;
};

}  // namespace allot::node::nvidia
