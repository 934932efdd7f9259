#pragma once
// One node of `allot up`: its Node object, its agent, and the devices for the processes of its Pods.

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
#include "node/nvidia/driver.h"

namespace allot::local {

struct LocalNodeOptions {
  std::string name;
  NodeGpus gpus;
  NodeFolder folder;
  Machine machine;
  std::optional<Simulator> simulator;  // set if GPUs are simulated
  std::string gpu_mark;                // for processes with real GPUs (gpu_users.h); empty: no GPU is real
  std::string runtime;                 // of its Pods, as in the Node's status: "podman://4.3.1"
  std::string hook_program;            // allot-cdi-hook, if Pods are containers; empty: none
  std::string config_path;             // of the node config (docs/node-config.md); empty: none
};

class LocalNode {
 public:
  // All references must outlive it.
  LocalNode(LocalNodeOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log);
  ~LocalNode() { Stop(); }

  // Writes the Node and starts the agent. An error: the files on the disk cannot be used, or the API does not answer. Called once.
  Status Start(const Patience& patience);
  // Running processes go on. RequestStop returns at once; Stop returns when the agent has ended.
  void RequestStop() { stop_.Request(); }
  void Stop();

  const std::string& name() const { return options_.name; }
  const NodeFolder& folder() const { return options_.folder; }
  bool simulated() const { return !options_.gpus.real; }
  // For the runtime of this node's Pods. Requires Start.
  Devices& devices() { return *devices_; }
  // Returns the last scan of the GPUs.
  std::shared_ptr<const device::nvidia::Snapshot> gpus() const { return nvidia_.inventory().snapshot(); }
  // Returns the DeviceClasses of the node's drivers.
  std::vector<node::DeviceClass> classes() const { return nvidia_.classes(); }
  // Ok if all GPUs are offered. Otherwise says what is in the way.
  Status state() { return agent_.state(); }
  // Renews the Node's heartbeat; called every kHeartbeatEvery.
  Status RenewHeartbeat(const Patience& patience) { return object_.RenewHeartbeat(patience); }

 private:
  const LocalNodeOptions options_;
  FileSystem& files_;
  Log& log_;
  NodeObject object_;
  node::nvidia::Driver nvidia_;
  node::Agent agent_;
  std::optional<CdiDevices> devices_;
  Cancel stop_;
  std::thread thread_;  // runs the agent
};

}  // namespace allot::local
