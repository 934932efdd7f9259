#pragma once
// How long one process has a GPU before the next one's turn: a setting of the whole GPU.

#include <string>

#include "base/status.h"
#include "http/dial.h"
#include "node/driver_files.h"

namespace allot::node {

class TimeSlice {
 public:
  virtual ~TimeSlice() = default;
  // `interval`: Default, Short, Medium or Long. Setting what is set already does no harm.
  virtual Status Set(const std::string& gpu_uuid, const std::string& interval, const http::Patience& patience) = 0;
};

// By the driver's nvidia-smi: NVML has no call for it.
class SmiTimeSlice final : public TimeSlice {
 public:
  explicit SmiTimeSlice(DriverRoot root) : root_(std::move(root)) {}
  Status Set(const std::string& gpu_uuid, const std::string& interval, const http::Patience& patience) override;

 private:
  const DriverRoot root_;
};

}  // namespace allot::node
