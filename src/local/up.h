#pragma once
// `allot up`: Kubernetes' API, node agents, and whatever else a machine needs to share its GPUs, in one process.
//
//   ApiHome ◄── by its socket ── LocalNode (agent, devices), one or several
//      ▲                             ▲
//      └───────── parts: scheduler, Pods (part.h)
//
// Crash-only, as all of its parts: the store, the journals and the processes of Pods are what is left by a kill, and what the next start
// goes on with.

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "local/api_home.h"
#include "local/gpu_users.h"
#include "local/inventory_flag.h"
#include "local/part.h"
#include "local/podman.h"
#include "local/state_folder.h"
#include "node/told.h"

namespace allot::local {

struct UpOptions {
  apiserver::DataFolder data;
  ApiHomeOptions api;                            // its logs are set by Up
  std::vector<NodeGpus> nodes;                   // at least one
  std::shared_ptr<const Podman> podman;          // that runs the Pods; null: they are processes
  std::string node_config;                       // of the agents (docs/node-config.md); empty: none
  std::string program;                           // ours, beside which the fake driver is
  std::vector<PartMaker> parts;                  // started in this order, behind the nodes
  std::string gpu_names{kGpuNames};              // by which those are known who offer and use real GPUs
  std::chrono::milliseconds offer_wait{10'000};  // for the GPUs to be offered, at the start
  std::chrono::milliseconds beat_every{kBeatEvery};
};

class Up {
 public:
  // Everything works when it returns; GPUs that are not offered in time are only told of. Errors name what is wrong, and leave nothing
  // behind that the next start would mind. All must outlive it.
  static Result<std::unique_ptr<Up>> Start(UpOptions options, FileSystem& files, const Clock& clock, Random& random, Log& log,
                                           const Cancel& stop);
  ~Up() { Stop(); }
  Up(const Up&) = delete;
  Up& operator=(const Up&) = delete;

  // What the user of a shell needs: where the API is, KUBECONFIG, the GPUs, what to try. Lines that a shell may read.
  std::string Greeting();
  // Until `stop` is requested: nodes live, and DeviceClasses that somebody deletes are made again.
  void Run(const Cancel& stop);
  // In good order: parts, nodes, API. Gives the number of Pods that go on.
  size_t Stop();

  ApiHome& api() { return *api_; }
  std::span<const std::unique_ptr<LocalNode>> nodes() const { return nodes_; }

 private:
  Up(UpOptions options, FileSystem& files, const Clock& clock, Random& random, Log& log)
      : options_(std::move(options)), files_(files), clock_(clock), random_(random), log_(log) {}

  Status Begin(const Cancel& stop);
  Status FindSimulator();
  bool OffersReal() const;
  Status StartNodes(const http::Patience& patience);
  Status StartParts();
  void AwaitOffers(const Cancel& stop);
  void Beat(const Cancel& stop);
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
  node::Told beat_told_, classes_told_;
  bool stopped_ = false;
};

// "vm" for one node, "vm-1", "vm-2", ... for several.
std::vector<std::string> NodeNames(const std::string& hostname, size_t count);

}  // namespace allot::local
