#pragma once
// What the agent counts, as Prometheus' text.
//
// The names with nvidia_dra_ are those of NVIDIA's driver, so that its dashboards work; those with allot_ are ours. Thread-safe.

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "device/gpu.h"
#include "node/holding.h"

namespace allot::node {

class CallMetrics {
 public:
  enum Operation { kPrepare, kUnprepare };

  // One claim was prepared or not. From the call's begin to its end.
  void Begin(Operation operation);
  void End(Operation operation, std::chrono::nanoseconds took, const Status& status);

  void AppendTo(std::string& text) const;

 private:
  static constexpr std::array<double, 12> kBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.2, 0.8, 3.2, 12.8, 51.2};
  struct Counts {
    uint64_t requests = 0, inflight = 0, errors = 0;
    std::array<uint64_t, kBuckets.size() + 1> by_time{};  // of those that succeeded
    double seconds = 0;
  };

  mutable std::mutex mutex_;
  std::array<Counts, 2> counts_;
};

// Who uses a claim, and how much of a device its processes use.
struct ClaimUse {
  std::vector<std::string> pods;
  std::map<std::string, int64_t> used_mib;  // by the device's UUID; absent: not known
};

struct GpuMetricsInput {
  const std::vector<device::Gpu>& gpus;
  const Holdings& holdings;
  const std::map<std::string, int64_t>& used_mib;              // by UUID
  const std::map<std::string, ClaimUse, std::less<>>& claims;  // by the claim's UID
  std::map<std::string, bool> healthy;                         // by UUID
  std::string_view node_name;
};
void AppendGpuMetrics(const GpuMetricsInput& input, std::string& text);

}  // namespace allot::node
