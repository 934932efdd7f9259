#pragma once
// Decides which devices are healthy from the errors that NVML reported. It has no threads and no timers and does not call NVML.
//
// Rules:
//   1. a critical error (XID) makes its device unhealthy; an error that a program caused is only noted;
//   2. an error is forgotten when the GPU answers and no other error came for the settle time, or when the GPU was lost and is back, since
//      that means it was reset;
//   3. a GPU that does not answer is lost until it answers;
//   4. an error of a GPU counts for all of its MIG devices; an error of a MIG device counts for that device alone.
// Not thread-safe.

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "device/nvidia/gpu.h"

namespace allot::device::nvidia {

struct Health {
  enum class State {
    kHealthy,
    kNoted,      // may be used; `key` says what people should know
    kUnhealthy,  // should get no new claims
  };
  State state = State::kHealthy;
  std::string key;      // "xid", "gpu-lost" or "unmonitored"; empty: nothing to say
  std::string value;    // for "xid": the number, decimal
  std::string message;  // a sentence
  WallTime since;

  friend bool operator==(const Health&, const Health&) = default;
};

struct HealthOptions {
  // Errors of programs and not of the device, such as out-of-bounds access and preemptive removal. The list is that of NVIDIA's DRA driver.
  std::set<uint64_t> program_xids = {13, 31, 43, 45, 68, 109};
  std::chrono::seconds settle = std::chrono::minutes(5);
};

// A GPU, or one of its MIG devices.
struct Place {
  static constexpr int kAll = -1;

  std::string gpu;  // UUID
  int gpu_instance = kAll, compute_instance = kAll;

  friend auto operator<=>(const Place&, const Place&) = default;
};

class HealthBook {
 public:
  // `clock` must outlive it.
  HealthBook(HealthOptions options, const Clock& clock) : options_(std::move(options)), clock_(clock) {}

  // Returns whether the error is new. The same error again, in a burst, is not.
  bool OnXid(const Place& place, uint64_t xid);
  // The GPU does not answer; `why` says how the call failed.
  void OnLost(const std::string& gpu, const std::string& why);
  void OnAnswer(const std::string& gpu);
  // `why` says why NVML does not report the GPU's errors. Empty: it does.
  void SetMonitored(const std::string& gpu, const std::string& why);
  // Forgets all other GPUs.
  void KeepOnly(const std::vector<Gpu>& gpus);

  bool IsLost(const std::string& gpu) const { return lost_.contains(gpu); }
  // Returns the health of each GPU and each MIG device, by UUID.
  std::map<std::string, Health> All(const std::vector<Gpu>& gpus) const;

 private:
  struct Error {
    Health health;
    MonotonicTime last;  // when this error or another one of the device was reported
  };

  Health Of(const Place& place) const;

  const HealthOptions options_;
  const Clock& clock_;
  std::map<Place, Error> errors_;
  std::map<std::string, Health> lost_;         // by GPU
  std::map<std::string, Health> unmonitored_;  // by GPU
};

}  // namespace allot::device::nvidia
