#pragma once
// `allot up`: the Kubernetes API, node agents, and the parts that share a machine's GPUs, in one process.
//
//   ApiHome ◄── by its socket ── LocalNode (agent, devices), one or several
//      ▲                             ▲
//      └───────── parts: scheduler, Pods (part.h)
//
// Crash-only, like all of its parts: a kill leaves the store, the journals and the Pods' processes, and the next start uses them.

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "local/api_home.h"
#include "local/containers/podman.h"
#include "local/gpu_users.h"
#include "local/inventory_flag.h"
#include "local/part.h"
#include "local/state_folder.h"
#include "node/told.h"

namespace allot::local {

struct UpOptions {
  apiserver::DataFolder data;
  ApiHomeOptions api;                            // Up sets `logs`
  std::vector<NodeGpus> nodes;                   // at least one
  std::shared_ptr<const Podman> podman;          // runs the Pods; null: they are processes
  std::string node_config;                       // the agents' config file (docs/node-config.md); empty: none
  std::string program;                           // the path of this program; the fake driver is beside it
  std::vector<PartMaker> parts;                  // started in this order, after the nodes
  std::string gpu_names{kGpuNames};              // the prefix of the sockets of gpu_users.h
  std::chrono::milliseconds offer_wait{10'000};  // how long Start waits for the GPUs to be offered
  std::chrono::milliseconds heartbeat_every{kHeartbeatEvery};
};

class Up {
 public:
  // Returns when everything runs; Greeting names GPUs that are not offered yet. An error names what is wrong, and the next start can try
  // again. The arguments must outlive this object.
  static Result<std::unique_ptr<Up>> Start(UpOptions options, FileSystem& files, const Clock& clock, Random& random, Log& log,
                                           const Cancel& stop);
  ~Up() { Stop(); }
  Up(const Up&) = delete;
  Up& operator=(const Up&) = delete;

  // The lines to print at the start: the API's addresses, KUBECONFIG, the GPUs, a first command. A shell can read them.
  std::string Greeting();
  // Runs until `stop` is requested: renews the nodes' heartbeats, and creates deleted DeviceClasses again.
  void Run(const Cancel& stop);
  // Stops parts, nodes and the API, in this order. Returns the number of Pods that keep running.
  size_t Stop();

  ApiHome& api() { return *api_; }
  std::span<const std::unique_ptr<LocalNode>> nodes() const { return nodes_; }

 private:
  Up(UpOptions options, FileSystem& files, const Clock& clock, Random& random, Log& log)
      : options_(std::move(options)), files_(files), clock_(clock), random_(random), log_(log) {}

  Status Begin(const Cancel& stop);
  Status FindSimulator();
  bool OffersReal() const;
  Status StartNodes(const Patience& patience);
  Status StartParts();
  void AwaitOffers(const Cancel& stop);
  void RenewHeartbeats(const Cancel& stop);
  // Creates missing DeviceClasses of the nodes' drivers, and returns their names.
  Result<std::vector<std::string>> MakeClasses(const Patience& patience);
  void KeepClasses(const Cancel& stop);

  UpOptions options_;
  FileSystem& files_;
  const Clock& clock_;
  Random& random_;
  Log& log_;
  std::optional<Simulator> simulator_;
  std::unique_ptr<StateFolder> folder_;
  std::optional<GpuOffer> gpu_offer_;
  LateLogs logs_;
  std::unique_ptr<ApiHome> api_;
  std::unique_ptr<kube::Client> client_;
  std::vector<std::unique_ptr<LocalNode>> nodes_;
  std::vector<std::unique_ptr<Part>> parts_;
  node::Told heartbeat_told_, classes_told_;
  bool stopped_ = false;
};

// "vm" for one node, "vm-1", "vm-2", ... for several.
std::vector<std::string> NodeNames(const std::string& hostname, size_t count);

}  // namespace allot::local
