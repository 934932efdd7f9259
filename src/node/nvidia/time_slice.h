#pragma once
// The time slice of a GPU: how long one process runs before the next one's turn. It is a setting of the whole GPU.

#include <string>

#include "base/status.h"
#include "http/dial.h"
#include "node/nvidia/driver_files.h"

namespace allot::node::nvidia {

class TimeSlice {
 public:
  virtual ~TimeSlice() = default;
  // `interval` is Default, Short, Medium or Long; kInvalid: it is none of these. Setting the same interval again does no harm.
  virtual Status Set(const std::string& gpu_uuid, const std::string& interval, const Patience& patience) = 0;
};

// Sets it with the driver's nvidia-smi, because NVML has no call for it.
class SmiTimeSlice final : public TimeSlice {
 public:
  explicit SmiTimeSlice(DriverRoot root) : root_(std::move(root)) {}
  Status Set(const std::string& gpu_uuid, const std::string& interval, const Patience& patience) override;

 private:
  const DriverRoot root_;
};

}  // namespace allot::node::nvidia
