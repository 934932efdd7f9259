#pragma once
// The node agent: offers the GPUs of this machine to the cluster, and prepares what was allocated of them.
//
//   Offering: inventory ──► offer ──► publisher ──► ResourceSlices
//       │                              ▲ policy file, holdings
//       ├──► health ──► kubelet (Pod status), taints
//   KubeletSide: sockets ──► rpc ──► Preparer ──► journal, CDI
//
// Where there is no kubelet (allot up), whoever runs Pods in this process calls the same Preparer.
//
// Crash-only: stopping is for politeness (calls under way end, sockets go), everything else is as after a kill. Slices stay: kubelet
// removes them when the driver stays away.

#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "device/inventory.h"
#include "kube/client.h"
#include "node/bulletin.h"
#include "node/cdi.h"
#include "node/driver_files.h"
#include "node/prepare.h"
#include "node/sockets.h"

namespace allot::node {

struct AgentOptions {
  std::string node_name;
  PodName pod;  // ours; without a name: we are in none
  DriverRoot driver_root;
  bool kubelet = true;       // false: no sockets
  SocketPlaces sockets;      // its driver is set by the agent
  std::string state_folder;  // of the journal; empty: that of the driver among kubelet's plugins
  CdiOptions cdi;
  std::vector<std::string> toolkit_folders = {"/etc/cdi", "/var/run/cdi"};
  std::string hook_program;  // allot-cdi-hook, as we see it; empty: none
  std::string config_path;   // of the policies; empty: none
  std::string proc = "/proc", sys = "/sys";
  std::string mps_pipes = "/tmp/nvidia-mps";  // as we see it
  std::string http_address;                   // "0.0.0.0:8080" for metrics; empty: none
  std::string health_address;                 // "0.0.0.0:51516" for gRPC health, with kubelet; empty: none
  device::HealthOptions health;
  std::chrono::seconds sweep_every{600}, sweep_grace{120};
  // Whether processes use the claim, though the API may have let go of it. Kubelet keeps such claims itself.
  std::function<bool(const std::string& claim_uid)> in_use = [](const std::string&) { return false; };
};

class Agent {
 public:
  // All must outlive it.
  Agent(AgentOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log);
  ~Agent();

  // What is on the disk: journal and hook. An error: it cannot work, and why; time does not heal that. Once.
  Status Open();
  // Works until `stop` is requested; opens it where that was not done. Errors as those of Open.
  Status Run(const Cancel& stop);

  // For a runtime in this process. REQUIRES that Open was ok.
  Preparer& preparer();
  const device::Inventory& inventory() const;
  // Ok: the GPUs were looked at, all that should be offered is, and whoever needs us finds us. Else what is in the way.
  Status state();

 private:
  class Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace allot::node
