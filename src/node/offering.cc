#include "node/offering.h"

#include "base/resident.h"
#include "device/discovery.h"
#include "node/devices.h"
#include "node/report.h"
#include "node/rivals.h"

namespace allot::node {

namespace {

using std::chrono::seconds;

constexpr seconds kNodeTime{5};  // to read our Node

}  // namespace

Offering::Offering(OfferingOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log)
    : options_(std::move(options)),
      client_(client),
      files_(files),
      log_(log),
      inventory_({.scan = {.driver_root = options_.driver_root, .sysfs = options_.sys, .health = options_.health}}, files, clock,
                 [this] {
                   looked_.store(true);
                   changed_.store(true);
                 }),
      policy_(files, options_.config_path),
      publisher_(client, {.driver = std::string(kDriver), .node_name = options_.node_name}, random, clock,
                 [this](const Publication& publication) { OnPublished(publication); }) {}

void Offering::Stop() {
  publisher_.Stop();
  inventory_.Stop();
}

void Offering::RefreshPolicy() {
  const NodeConfig before = policy_.current();
  const Status policy = policy_.Refresh();
  knows_policy_ = knows_policy_ || policy.ok();
  Set(config_, policy);
  if (policy_told_.IsNew(policy)) {
    if (policy.ok())
      log_.Info("node config is good again", {{"file", options_.config_path}});
    else
      log_.Error("node config not used", {{"error", policy.message()}});
  }
  const bool missing = !options_.config_path.empty() && !files_.Exists(options_.config_path);
  if (missing && !std::exchange(config_missing_, missing))
    log_.Warning("there is no node config: all GPUs are shared", {{"file", options_.config_path}});
  else if (before != policy_.current())
    log_.Info("node config read; what is held keeps its mode until it is let go", {{"file", options_.config_path}});
  config_missing_ = missing;
}

// Offers nothing before the API has said that no device plugin does.
bool Offering::MayPublish(const Cancel& stop) {
  // With a file that was broken from the start we would share what should not be: what is on the server stays as it is.
  if (!looked_ || !knows_policy_) return false;
  if (publishing_) return true;
  const MonotonicTime soon = std::chrono::steady_clock::now() + kNodeTime;
  const Result<kube::ObjectPtr> node = client_.Get(kube::types::kNodes, "", options_.node_name, {soon, &stop});
  const Status alone = node.ok() ? CheckDevicePlugin((*node)->json()) : node.status();
  if (rival_told_.IsNew(alone) && !alone.ok()) log_.Error("nothing is offered", {{"error", std::string(alone.message())}});
  Set(waiting_, alone);
  if (!alone.ok()) return false;
  publisher_.Start();
  return publishing_ = true;
}

bool Offering::Recollect() {
  if (knows_offered_) return true;
  // What is on the server was promised to those who hold it: only then can a change of policy wait for them.
  const Result<std::vector<kube::ObjectPtr>> slices = publisher_.Slices({std::chrono::steady_clock::now() + seconds(2)});
  if (!slices.ok()) return false;
  std::vector<device::DeviceError> errors;
  for (const kube::ObjectPtr& slice : *slices) {
    ReadPolicies(slice->json()["spec"]["devices"], offered_);
    ReadErrors(slice->json()["spec"]["devices"], inventory_.snapshot()->gpus, errors);
  }
  knows_offered_ = true;
  if (errors.empty()) return true;
  // An agent that was started anew does not make a GPU well. What is offered shows it at the next look.
  inventory_.Recall(std::move(errors));
  return false;
}

void Offering::Publish(const Holdings& holdings, const Cancel& stop) {
  if (!MayPublish(stop) || !Recollect()) return;
  const std::shared_ptr<const device::Snapshot> snapshot = inventory_.snapshot();
  if (const bool found = snapshot->status.ok(); !std::exchange(library_loaded_, found) && found) ForgetReadahead();
  if (inventory_told_.IsNew(snapshot->status)) {
    if (snapshot->status.ok())
      log_.Info("GPUs found", {{"count", std::to_string(snapshot->gpus.size())}});
    else if (device::HasNvidiaGpu(files_, options_.sys))
      log_.Error("no GPUs", {{"error", snapshot->status.message()}});
    else
      log_.Warning("this machine has no NVIDIA GPU, and no driver", {{"error", snapshot->status.message()}});
  }
  std::set<std::string, std::less<>> held;
  for (const auto& [uid, holding] : holdings) {
    for (const HeldShare& share : holding->shares) held.insert(share.uuid);
  }
  Offer offer = MakeOffer({snapshot->gpus, options_.node_name, policy_.current(), held, offered_, TaintsOf(*snapshot)});
  TellProblems(*snapshot, std::move(offer.problems));
  offered_ = std::move(offer.policies);
  publisher_.Publish(std::move(offer.slices));
}

void Offering::TellProblems(const device::Snapshot& snapshot, std::vector<std::string> left_out) {
  for (std::string& problem : left_out) {
    if (problems_.insert(problem).second) log_.Warning("device left out", {{"error", std::move(problem)}});
  }
  for (const std::string& problem : snapshot.left_out) {
    if (problems_.insert(problem).second) log_.Warning("GPU that does not answer", {{"error", problem}});
  }
  for (const device::Gpu& gpu : snapshot.gpus) {
    for (const std::string& problem : gpu.problems) {
      if (problems_.insert(StrCat(gpu.uuid, problem)).second) log_.Warning("driver", {{"gpu", gpu.uuid}, {"error", problem}});
    }
  }
}

void Offering::TellHealth() {
  for (const auto& [uuid, health] : inventory_.snapshot()->health) {
    std::string& told = health_told_[uuid];
    if (std::exchange(told, health.message) == health.message) continue;
    if (health.state == device::Health::State::kUnhealthy)
      log_.Error("GPU unhealthy", {{"gpu", uuid}, {"error", health.message}});
    else if (health.state == device::Health::State::kNoted)
      log_.Warning("GPU", {{"gpu", uuid}, {"error", health.message}});
    else
      log_.Info("GPU healthy again", {{"gpu", uuid}});
  }
}

void Offering::OnPublished(const Publication& publication) {
  if (publication.status.ok()) {
    log_.Info("published", {{"devices", std::to_string(publication.devices)}, {"generation", std::to_string(publication.generation)}});
  } else {
    log_.Error("not all is published", {{"error", publication.status.message()}});
  }
}

void Offering::Set(Status& place, Status status) {
  const std::lock_guard lock(mutex_);
  place = std::move(status);
}

Status Offering::state() {
  {
    const std::lock_guard lock(mutex_);
    TRY(Status(waiting_));
    TRY(Status(config_));
  }
  // A machine without a GPU is as it should be; one whose GPU cannot be used is not.
  if (const Status found = inventory_.status(); looked_ && !found.ok() && device::HasNvidiaGpu(files_, options_.sys)) return found;
  const Publication publication = publisher_.status();
  TRY(Status(publication.status));
  return publication.generation > 0 ? Status() : Unavailable("no devices are published yet");
}

}  // namespace allot::node
