#include "local/local_node.h"

#include "local/gpu_users.h"

namespace allot::local {
namespace {

node::AgentOptions AgentOptionsOf(const LocalNodeOptions& node, std::function<bool(const std::string&)> in_use) {
  node::AgentOptions options;
  options.in_use = std::move(in_use);
  options.node_name = node.name;
  options.kubelet = false;
  options.cdi_folder = node.folder.cdi();
  options.hook_program = node.hook_program;
  return options;
}

node::nvidia::Options NvidiaOptionsOf(const LocalNodeOptions& node) {
  node::nvidia::Options options;
  options.node_name = node.name;
  // A process and podman get only what our spec says, so nothing may be left to the container toolkit's spec.
  options.toolkit_folders.clear();
  options.config_path = node.config_path;
  if (node.gpus.real) return options;
  options.driver_root = {node.folder.driver(), node.folder.driver()};
  options.sys = node.folder.driver() + "/sys";  // which does not exist: simulated GPUs are on no bus
  return options;
}

}  // namespace

LocalNode::LocalNode(LocalNodeOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log)
    : options_(std::move(options)),
      files_(files),
      log_(log),
      object_({options_.name, options_.machine, !options_.gpus.real && !options_.gpus.models.empty(), options_.runtime}, client, clock),
      nvidia_(NvidiaOptionsOf(options_), files, clock, log),
      agent_(AgentOptionsOf(options_, [this](const std::string& claim) { return devices_->IsInUse(claim); }),
             {{nvidia_, options_.folder.state()}}, client, files, clock, random, log) {}

Status LocalNode::Start(const Patience& patience) {
  Environment more;
  if (options_.simulator) {
    const std::string root = options_.folder.driver();
    TRY(MakeSimulatedDriver(files_, *options_.simulator, root, options_.name, options_.gpus.models));
    more = SimulatedEnvironment(root);
  }
  if (!options_.gpu_mark.empty()) more[kGpuMark] = options_.gpu_mark;
  TRY(agent_.Open().Context("node ", options_.name));
  devices_.emplace(agent_.preparer(nvidia_.name()), std::move(more));
  TRY(object_.Write(patience));
  thread_ = std::thread([this] {
    if (const Status ended = agent_.Run(stop_); !ended.ok())
      log_.Error("node agent failed", {{"node", options_.name}, {"error", ended.message()}});
  });
  return Status();
}

void LocalNode::Stop() {
  stop_.Request();
  if (thread_.joinable()) thread_.join();
}

}  // namespace allot::local
