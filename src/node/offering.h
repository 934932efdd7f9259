#pragma once
// What the node offers, kept up to date: from the GPUs that are there, by the policies of the config file, to ResourceSlices on the server.
//
//   inventory ──► offer ──► publisher ──► ResourceSlices
//                   ▲ policy file, holdings
//
// Driven by one thread; state() and inventory() are for all.

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/cancel.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "device/inventory.h"
#include "kube/client.h"
#include "node/holding.h"
#include "node/offer.h"
#include "node/policy.h"
#include "node/publisher.h"
#include "node/told.h"

namespace allot::node {

struct OfferingOptions {
  std::string node_name;
  std::string driver_root = "/", sys = "/sys";  // as we see them
  std::string config_path;                      // of the policies; empty: none
  device::HealthOptions health;
};

class Offering {
 public:
  // All must outlive it.
  Offering(OfferingOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log);

  void Start() { inventory_.Start(); }
  void Stop();

  // Reads the config file where it has changed.
  void RefreshPolicy();
  // Says what the node offers, when that has changed. Nothing before the GPUs were looked at, and the API has said that no device plugin
  // offers them, too.
  void Publish(const Holdings& holdings, const Cancel& stop);
  // Logs what has changed of the GPUs' health.
  void TellHealth();

  const device::Inventory& inventory() const { return inventory_; }
  bool looked() const { return looked_; }  // at the GPUs, once
  // Whether the GPUs have changed since the last call.
  bool TakeChange() { return changed_.exchange(false); }
  // Ok: all that should be offered is. Else what is in the way.
  Status state();

 private:
  // With what is offered by an agent before us, once.
  bool Recollect();
  bool MayPublish(const Cancel& stop);
  void TellProblems(const device::Snapshot& snapshot, std::vector<std::string> left_out);
  void OnPublished(const Publication& publication);
  void Set(Status& place, Status status);

  const OfferingOptions options_;
  kube::Client& client_;
  FileSystem& files_;
  Log& log_;
  std::atomic<bool> looked_{false};
  std::atomic<bool> changed_{true};
  device::Inventory inventory_;
  PolicyFile policy_;
  Policies offered_;
  bool knows_offered_ = false;
  bool publishing_ = false;
  bool library_loaded_ = false;  // the driver's
  bool config_missing_ = false, knows_policy_ = false;
  std::set<std::string> problems_;                  // told
  std::map<std::string, std::string> health_told_;  // by UUID: what is wrong with it
  Told rival_told_, policy_told_, inventory_told_;
  std::mutex mutex_;
  Status waiting_;  // for others to go; ok: for nobody
  Status config_;
  Publisher publisher_;
};

}  // namespace allot::node
