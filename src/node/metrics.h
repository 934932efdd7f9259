#pragma once
// What the agent counts and measures for one driver. Each sample carries the driver's name.

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "node/driver.h"
#include "node/metrics_text.h"
#include "node/prepare/holding.h"

namespace allot::node {

// Kubelet's calls. Thread-safe.
class CallMetrics {
 public:
  enum Operation { kPrepare, kUnprepare };

  // `prefix`: MetricNames::prefix.
  CallMetrics(std::string driver, std::string_view prefix) : driver_(std::move(driver)), prefix_(prefix) {}

  // One claim is prepared or unprepared, from Begin to End.
  void Begin(Operation operation);
  void End(Operation operation, std::chrono::nanoseconds took, const Status& status);

  void AddTo(MetricsText& text) const;
  const std::string& driver() const { return driver_; }

 private:
  static constexpr std::array<double, 12> kBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.2, 0.8, 3.2, 12.8, 51.2};
  struct Counts {
    uint64_t requests = 0, inflight = 0, errors = 0;
    std::array<uint64_t, kBuckets.size() + 1> by_time{};  // of the calls that succeeded
    double seconds = 0;
  };

  const std::string driver_, prefix_;
  mutable std::mutex mutex_;
  std::array<Counts, 2> counts_;
};

// The Pods of a claim, and how much of each device their processes use.
struct ClaimUse {
  std::vector<std::string> pods;
  std::map<std::string, int64_t> used_mib;  // by the device's UUID; absent: unknown
};

struct DeviceMetricsInput {
  std::string_view driver;
  MetricNames names;
  const std::vector<DeviceReport>& devices;
  const Holdings& holdings;
  const std::map<std::string, int64_t>& used_mib;              // by UUID
  const std::map<std::string, ClaimUse, std::less<>>& claims;  // by the claim's UID
  std::string_view node_name;
};
void AddDeviceMetrics(const DeviceMetricsInput& input, MetricsText& text);

}  // namespace allot::node
