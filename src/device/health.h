#pragma once
// Which devices are fit to be handed out, from what NVML reported: a book without threads, NVML or timers.
//
// Rules:
//   1. a critical error (XID) makes its device unhealthy; one that a program caused itself is only noted;
//   2. an error is forgotten when the GPU answers and no other one came for the settle time, or when the GPU was lost and is back: somebody
//      reset it;
//   3. a GPU that does not answer is lost until it answers;
//   4. what is wrong with a GPU is wrong with all of its MIG devices; an error of one MIG device is that one's alone.
// Not thread-safe.

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "device/gpu.h"

namespace allot::device {

struct Health {
  enum class State {
    kHealthy,
    kNoted,      // may be used; `key` says what people may want to know
    kUnhealthy,  // nothing new should be put on it
  };
  State state = State::kHealthy;
  std::string key;      // "xid", "gpu-lost" or "unmonitored"; empty: nothing to say
  std::string value;    // of "xid": the number, decimal
  std::string message;  // a sentence
  WallTime since;

  friend bool operator==(const Health&, const Health&) = default;
};

struct HealthOptions {
  // Errors of programs, not of the device: out-of-bounds access, preemptive removal and the like. As the NVIDIA driver's list.
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

  // Whether that is news: a burst of one error is one error.
  bool OnXid(const Place& place, uint64_t xid);
  // It does not answer: `why`.
  void OnLost(const std::string& gpu, const std::string& why);
  void OnAnswer(const std::string& gpu);
  // Whether its errors are heard of; `why` not, or empty.
  void SetMonitored(const std::string& gpu, const std::string& why);
  // Drops what is known of all other GPUs.
  void KeepOnly(const std::vector<Gpu>& gpus);

  bool IsLost(const std::string& gpu) const { return lost_.contains(gpu); }
  // By the UUIDs of the GPUs and their MIG devices, one for each.
  std::map<std::string, Health> All(const std::vector<Gpu>& gpus) const;

 private:
  struct Error {
    Health health;
    MonotonicTime last;  // when it, or another one of the device, was reported
  };

  Health Of(const Place& place) const;

  const HealthOptions options_;
  const Clock& clock_;
  std::map<Place, Error> errors_;
  std::map<std::string, Health> lost_;         // by GPU
  std::map<std::string, Health> unmonitored_;  // by GPU
};

}  // namespace allot::device
