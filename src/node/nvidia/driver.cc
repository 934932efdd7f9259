#include "node/nvidia/driver.h"

#include "base/resident.h"
#include "device/nvidia/discovery.h"
#include "model/trouble.h"
#include "node/nvidia/device_plugin.h"
#include "node/nvidia/report.h"

namespace allot::node::nvidia {

std::vector<DeviceClass> Classes() {
  std::vector<DeviceClass> classes;
  for (const std::string_view type : {"gpu", "mig"}) {
    classes.push_back({StrCat(type, ".nvidia.com"),
                       StrCat("device.driver == '", kDriver, "' && device.attributes['", kDriver, "'].type == '", type, "'"),
                       type == "gpu" ? "nvidia.com/gpu" : ""});
  }
  return classes;
}

Driver::Driver(Options options, FileSystem& files, const Clock& clock, Log& log)
    : options_(std::move(options)),
      files_(files),
      log_(log),
      inventory_({.scan = {.driver_root = options_.driver_root.here, .sysfs = options_.sys, .health = options_.health}}, files, clock,
                 [this] { ++changes_; }),
      toolkit_(files, options_.toolkit_folders),
      time_slice_(options_.driver_root),
      claims_({files, toolkit_, time_slice_, [this] { return Gpus(); }, options_.driver_root, options_.proc, options_.mps_pipes,
               options_.mps_pipes_here, [this](std::string_view line) { log_.Info(line); }}),
      policy_(files, options_.config_path) {}

std::string_view Driver::take_over() const {
  return "to take over, drain the node, uninstall that driver (helm uninstall nvidia-dra-driver-gpu), and allot goes on by itself";
}

Result<std::vector<device::nvidia::Gpu>> Driver::Gpus() const {
  const std::shared_ptr<const device::nvidia::Snapshot> snapshot = inventory_.snapshot();
  if (!snapshot->status.ok()) return Unavailable(snapshot->status.message());
  return snapshot->gpus;
}

void Driver::Refresh() {
  RefreshConfig();
  LogHealth();
}

void Driver::RefreshConfig() {
  const NodeConfig before = policy_.current();
  const Status config = policy_.Refresh();
  config_read_ = config_read_ || config.ok();
  {
    const std::lock_guard lock(mutex_);
    config_ = config;
  }
  if (config_told_.IsNew(config)) {
    if (config.ok())
      log_.Info("node config is good again", {{"file", options_.config_path}});
    else
      log_.Error("node config not used", {{"error", StrCat(config.message(), " ", model::CodeOf(model::Trouble::kNodeConfig))}});
  }
  const bool missing = !options_.config_path.empty() && !files_.Exists(options_.config_path);
  if (missing && !std::exchange(config_missing_, missing))
    log_.Warning("there is no node config: all GPUs are shared", {{"file", options_.config_path}});
  else if (before != policy_.current())
    log_.Info("node config read; GPUs that claims hold keep their mode until they are free", {{"file", options_.config_path}});
  config_missing_ = missing;
}

Status Driver::state() {
  {
    const std::lock_guard lock(mutex_);
    TRY(Status(config_));
  }
  // A machine without a GPU is ok. A machine whose GPU cannot be used is not.
  if (const Status found = inventory_.status(); changes_ > 0 && !found.ok() && device::nvidia::HasNvidiaGpu(files_, options_.sys))
    return found;
  return {};
}

Status Driver::CheckNode(const json::Value& node) const { return CheckDevicePlugin(node); }

void Driver::Recall(std::span<const json::Value> slices) {
  std::vector<device::nvidia::DeviceError> errors;
  for (const json::Value& devices : slices) {
    // Claims were promised the policies that are on the server. A change of policy can wait for the claims only if it is known.
    ReadPolicies(devices, offered_);
    ReadErrors(devices, inventory_.snapshot()->gpus, errors);
  }
  if (errors.empty()) return;
  // A restart of the agent does not repair a GPU.
  inventory_.Recall(std::move(errors));
  recalled_errors_ = true;
}

std::optional<json::Document> Driver::Offer(const Holdings& holdings) {
  // With a config that was never readable, GPUs that should be exclusive would be shared.
  if (changes_ == 0 || !config_read_) return std::nullopt;
  // The next look shows the errors. Without them the taints would go away for a moment.
  if (std::exchange(recalled_errors_, false)) return std::nullopt;
  const std::shared_ptr<const device::nvidia::Snapshot> snapshot = inventory_.snapshot();
  if (const bool found = snapshot->status.ok(); !std::exchange(library_loaded_, found) && found) ForgetReadahead();
  LogInventory(*snapshot);
  std::set<std::string, std::less<>> held;
  for (const auto& [uid, holding] : holdings) {
    for (const Share& share : holding->shares) held.insert(share.uuid);
  }
  ::allot::node::nvidia::Offer offer =
      MakeOffer({snapshot->gpus, options_.node_name, policy_.current(), held, offered_, TaintsOf(*snapshot)});
  LogProblems(*snapshot, offer.problems);
  offered_ = std::move(offer.policies);
  return std::move(offer.slices);
}

std::vector<DeviceReport> Driver::Devices() const { return ReportsOf(*inventory_.snapshot()); }

DeviceUse Driver::Use() const { return UseOf(inventory_); }

void Driver::LogInventory(const device::nvidia::Snapshot& snapshot) {
  if (!inventory_told_.IsNew(snapshot.status)) return;
  if (snapshot.status.ok())
    log_.Info("GPUs found", {{"count", std::to_string(snapshot.gpus.size())}});
  else if (device::nvidia::HasNvidiaGpu(files_, options_.sys))
    log_.Error("no GPUs", {{"error", snapshot.status.message()}});
  else
    log_.Warning("this machine has no NVIDIA GPU, and no driver", {{"error", snapshot.status.message()}});
}

void Driver::LogProblems(const device::nvidia::Snapshot& snapshot, const std::vector<std::string>& left_out) {
  std::set<std::string> told;
  const auto is_new = [&](std::string problem) {
    const bool known = problems_told_.contains(problem);
    return told.insert(std::move(problem)).second && !known;
  };
  for (const std::string& problem : left_out) {
    if (is_new(problem)) log_.Warning("device left out", {{"error", problem}});
  }
  for (const std::string& problem : snapshot.left_out) {
    if (is_new(problem)) log_.Warning("GPU does not answer", {{"error", problem}});
  }
  for (const device::nvidia::Gpu& gpu : snapshot.gpus) {
    for (const std::string& problem : gpu.problems) {
      if (is_new(StrCat(gpu.uuid, problem))) log_.Warning("NVML call failed", {{"gpu", gpu.uuid}, {"error", problem}});
    }
  }
  problems_told_ = std::move(told);
}

void Driver::LogHealth() {
  const std::shared_ptr<const device::nvidia::Snapshot> snapshot = inventory_.snapshot();
  std::erase_if(health_told_, [&](const auto& entry) { return !snapshot->health.contains(entry.first); });
  for (const auto& [uuid, health] : snapshot->health) {
    std::string& told = health_told_[uuid];
    if (std::exchange(told, health.message) == health.message) continue;
    if (health.state == device::nvidia::Health::State::kUnhealthy)
      log_.Error("GPU unhealthy", {{"gpu", uuid}, {"error", health.message}});
    else if (health.state == device::nvidia::Health::State::kNoted)
      log_.Warning("GPU has a note", {{"gpu", uuid}, {"error", health.message}});
    else
      log_.Info("GPU healthy again", {{"gpu", uuid}});
  }
}

}  // namespace allot::node::nvidia
