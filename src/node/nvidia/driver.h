#pragma once
// The driver of NVIDIA's GPUs and MIG devices.
//
//   Inventory (NVML) ──► MakeOffer ──► slices
//       │                   ▲ node config, holdings
//       └──► health         Claims: claims

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/status.h"
#include "device/nvidia/inventory.h"
#include "node/driver.h"
#include "node/nvidia/claims.h"
#include "node/nvidia/devices.h"
#include "node/nvidia/offer.h"
#include "node/nvidia/policy.h"
#include "node/told.h"

namespace allot::node::nvidia {

struct Options {
  std::string node_name;
  DriverRoot driver_root;
  std::vector<std::string> toolkit_folders = {"/etc/cdi", "/var/run/cdi"};  // where the container toolkit's CDI specs are
  std::string config_path;                                                  // of the node config; empty: none
  std::string proc = "/proc", sys = "/sys";
  std::string mps_pipes = "/tmp/nvidia-mps";       // of the MPS daemon, as the host sees them
  std::string mps_pipes_here = "/tmp/nvidia-mps";  // the same, as the agent sees them
  device::nvidia::HealthOptions health;
};

// Returns the classes gpu.nvidia.com and mig.nvidia.com.
std::vector<DeviceClass> Classes();

class Driver final : public node::Driver {
 public:
  // All references must outlive it.
  Driver(Options options, FileSystem& files, const Clock& clock, Log& log);

  std::vector<DeviceClass> classes() const override { return Classes(); }
  // The names of NVIDIA's own DRA driver.
  MetricNames metric_names() const override { return {"nvidia_dra_", "gpu", "mig"}; }
  std::string_view take_over() const override;
  std::string_view offer_whole() const override { return kOfferWhole; }
  ClaimDriver& claims() override { return claims_; }

  void Start() override { inventory_.Start(); }
  void Stop() override { inventory_.Stop(); }
  void Refresh() override;
  uint64_t changes() const override { return changes_; }
  Status state() override;
  Status CheckNode(const json::Value& node) const override;
  void Recall(std::span<const json::Value> slices) override;
  std::optional<json::Document> Offer(const Holdings& holdings) override;
  std::vector<DeviceReport> Devices() const override;
  DeviceUse Use() const override;

  const device::nvidia::Inventory& inventory() const { return inventory_; }

 private:
  Result<std::vector<device::nvidia::Gpu>> Gpus() const;
  void RefreshConfig();
  void LogInventory(const device::nvidia::Snapshot& snapshot);
  void LogProblems(const device::nvidia::Snapshot& snapshot, const std::vector<std::string>& left_out);
  void LogHealth();

  const Options options_;
  FileSystem& files_;
  Log& log_;
  std::atomic<uint64_t> changes_{0};
  device::nvidia::Inventory inventory_;
  ToolkitSpec toolkit_;
  SmiTimeSlice time_slice_;
  Claims claims_;

  PolicyFile policy_;
  Policies offered_;          // what was offered last
  bool config_read_ = false;  // once without an error
  bool config_missing_ = false;
  bool recalled_errors_ = false;                    // since the last Offer
  bool library_loaded_ = false;                     // NVML
  std::set<std::string> problems_told_;             // of the last Offer
  std::map<std::string, std::string> health_told_;  // by UUID of each device that is there: what is wrong with it
  Told config_told_, inventory_told_;
  std::mutex mutex_;
  Status config_;
};

}  // namespace allot::node::nvidia
