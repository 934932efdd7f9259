#pragma once
// One node of `allot up`: its Node object, its agent, and the devices that the processes of its Pods get.

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/cancel.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/client.h"
#include "local/cdi_devices.h"
#include "local/inventory_flag.h"
#include "local/node_object.h"
#include "local/simulated.h"
#include "local/state_folder.h"
#include "node/agent.h"

namespace allot::local {

struct LocalNodeOptions {
  std::string name;
  NodeGpus gpus;
  NodeFolder folder;
  Machine machine;
  std::optional<Simulator> simulator;  // set where GPUs are simulated
  std::string gpu_mark;                // of those who get real GPUs (gpu_users.h); empty: none are real
  std::string runtime;                 // of its Pods, as the Node says it: "podman://4.3.1"
  std::string hook_program;            // allot-cdi-hook, where Pods are containers that need it; empty: none
  std::string config_path;             // of the policies (docs/node-config.md); empty: none
};

class LocalNode {
 public:
  // All must outlive it.
  LocalNode(LocalNodeOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log);
  ~LocalNode() { Stop(); }

  // Makes the Node and lets the agent work. An error: what is on the disk cannot be used, or the API does not answer. Once.
  Status Start(const http::Patience& patience);
  // What runs goes on. RequestStop returns at once, Stop when nothing of the node works any more.
  void RequestStop() { stop_.Request(); }
  void Stop();

  const std::string& name() const { return options_.name; }
  const NodeFolder& folder() const { return options_.folder; }
  bool simulated() const { return !options_.gpus.real; }
  // For the runtime of this node's Pods. From Start on.
  Devices& devices() { return *devices_; }
  // The GPUs as they were last seen.
  std::shared_ptr<const device::Snapshot> gpus() const { return agent_.inventory().snapshot(); }
  // Ok: all GPUs are offered. Else what is in the way.
  Status state() { return agent_.state(); }
  // Every kBeatEvery.
  Status Beat(const http::Patience& patience) { return object_.Beat(patience); }

 private:
  const LocalNodeOptions options_;
  FileSystem& files_;
  Log& log_;
  NodeObject object_;
  node::Agent agent_;
  std::optional<CdiDevices> devices_;
  Cancel stop_;
  std::thread thread_;  // the agent's
};

}  // namespace allot::local
