#include "local/up.h"

#include <algorithm>
#include <set>

#include "base/rest.h"
#include "local/containers/runtime_file.h"
#include "local/device_classes.h"
#include "local/prior_nodes.h"
#include "node/install.h"
#include "node/nvidia/driver.h"

namespace allot::local {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kStartTime{60};  // for all calls to our own API at the start
constexpr seconds kHeartbeatTime{5};
constexpr milliseconds kLookForOffers{50};

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

// A line for each GPU, in columns.
std::string TableOf(const std::vector<device::nvidia::Gpu>& gpus) {
  size_t name = 0, memory = 0, model = 0;
  const auto memory_of = [](const device::nvidia::Gpu& gpu) {
    return gpu.memory_mib ? StrCat(*gpu.memory_mib, " MiB") : std::string("memory unknown");
  };
  for (const device::nvidia::Gpu& gpu : gpus) {
    name = std::max(name, node::nvidia::DeviceName(gpu).size());
    model = std::max(model, gpu.product_name.size());
    memory = std::max(memory, memory_of(gpu).size());
  }
  std::string text;
  for (const device::nvidia::Gpu& gpu : gpus) {
    text += StrCat("#   ", Padded(node::nvidia::DeviceName(gpu), name), "  ", Padded(gpu.product_name, model), "  ",
                   Padded(memory_of(gpu), memory), "  ", gpu.uuid, "\n");
  }
  return text;
}

}  // namespace

std::vector<std::string> NodeNames(const std::string& hostname, size_t count) {
  if (count == 1) return {hostname};
  std::vector<std::string> names;
  for (size_t i = 1; i <= count; ++i) names.push_back(StrCat(hostname, "-", i));
  return names;
}

Result<std::unique_ptr<Up>> Up::Start(UpOptions options, FileSystem& files, const Clock& clock, Random& random, Log& log,
                                      const Cancel& stop) {
  CHECK(!options.nodes.empty());
  std::unique_ptr<Up> up(new Up(std::move(options), files, clock, random, log));
  TRY(up->Begin(stop));
  return up;
}

Status Up::Begin(const Cancel& stop) {
  TRY(FindSimulator());
  ASSIGN_OR_RETURN(folder_, StateFolder::Open(files_, options_.data.path));
  if (OffersReal()) {
    ASSIGN_OR_RETURN(GpuOffer offer, GpuOffer::Make(options_.gpu_names, options_.data.path));
    gpu_offer_.emplace(std::move(offer));
  }
  options_.api.logs = &logs_;
  ASSIGN_OR_RETURN(api_, ApiHome::Start(options_.api, options_.data, files_, clock_, random_, log_));
  kube::ClientOptions client;
  client.qps = 0;
  ASSIGN_OR_RETURN(client_, kube::Client::Make(api_->ClientConfig(), client));
  const Patience patience{std::chrono::steady_clock::now() + kStartTime, &stop};
  TRY(KeepRuntime(*client_, files_, *folder_, options_.podman != nullptr ? "podman" : "process", patience));
  TRY(StartNodes(patience));
  TRY(MakeClasses(patience).status());
  TRY(StartParts());
  AwaitOffers(stop);
  return Status();
}

bool Up::OffersReal() const {
  return std::any_of(options_.nodes.begin(), options_.nodes.end(), [](const NodeGpus& node) { return node.real; });
}

Status Up::FindSimulator() {
  const bool needed = std::any_of(options_.nodes.begin(), options_.nodes.end(), [](const NodeGpus& node) { return !node.models.empty(); });
  Result<Simulator> found = Simulator::Find(options_.program);
  if (found.ok()) simulator_ = *std::move(found);
  return needed && !simulator_ ? std::move(found).status() : Status();
}

Status Up::StartNodes(const Patience& patience) {
  const Machine machine = ReadMachine(files_, options_.data.path);
  ASSIGN_OR_RETURN(const std::string hostname, folder_->KeepHostname(machine.hostname));
  const std::vector<std::string> names = NodeNames(hostname, options_.nodes.size());
  TRY(RemovePriorNodes(*client_, files_, *folder_, {names.begin(), names.end()}, OffersReal(), clock_, log_, patience));
  for (size_t i = 0; i < names.size(); ++i) {
    LocalNodeOptions node;
    node.name = names[i];
    node.gpus = options_.nodes[i];
    ASSIGN_OR_RETURN(node.folder, folder_->Node(names[i]));
    node.machine = machine;
    if (!node.gpus.real) node.simulator = simulator_;
    if (node.gpus.real) node.gpu_mark = gpu_offer_->mark();
    node.config_path = options_.node_config;
    node.runtime = "allot://processes";
    if (options_.podman != nullptr) {
      node.runtime = StrCat("podman://", options_.podman->version());
      node.hook_program = node::ProgramBeside("allot-cdi-hook");
    }
    nodes_.push_back(std::make_unique<LocalNode>(std::move(node), *client_, files_, clock_, random_, log_));
    TRY(nodes_.back()->Start(patience));
  }
  return Status();
}

Status Up::StartParts() {
  const PartContext context{*client_, *folder_, nodes_, logs_, files_, clock_, random_, log_, api_->first_open_files()};
  for (const PartMaker& maker : options_.parts) {
    ASSIGN_OR_RETURN(std::unique_ptr<Part> part, maker.make(context).Context(maker.name));
    parts_.push_back(std::move(part));
    TRY(parts_.back()->Start().Context(maker.name));
  }
  return Status();
}

void Up::AwaitOffers(const Cancel& stop) {
  const MonotonicTime until = std::chrono::steady_clock::now() + options_.offer_wait;
  const auto ready = [](const std::unique_ptr<LocalNode>& node) { return node->state().ok(); };
  while (!std::all_of(nodes_.begin(), nodes_.end(), ready) && std::chrono::steady_clock::now() < until) {
    if (!Rest(kLookForOffers, stop)) return;
  }
}

std::string Up::Greeting() {
  std::string text = api_->Greeting();
  bool any = false;
  for (const std::unique_ptr<LocalNode>& node : nodes_) {
    const std::shared_ptr<const device::nvidia::Snapshot> snapshot = node->gpus();
    const size_t count = snapshot->gpus.size();
    any = any || count > 0;
    text += StrCat("# node ", node->name(), ": ", count == 0 ? "no GPUs" : StrCat(count, count == 1 ? " GPU" : " GPUs"),
                   count > 0 && node->simulated() ? ", simulated" : "", "\n", TableOf(snapshot->gpus));
    if (const Status state = node->state(); !state.ok()) text += StrCat("#   not offered yet: ", state.message(), "\n");
  }
  if (!any) text += "# `allot up --gpus rtx3090:2` simulates some\n";
  return text + "# paste the export line into another terminal; there, `allot status` shows the GPUs and their holders\n";
}

void Up::RenewHeartbeats(const Cancel& stop) {
  Status heartbeat;
  for (const std::unique_ptr<LocalNode>& node : nodes_) {
    Status one = node->RenewHeartbeat({std::chrono::steady_clock::now() + kHeartbeatTime, &stop});
    if (heartbeat.ok()) heartbeat = std::move(one);
  }
  if (!stop.requested() && heartbeat_told_.IsNew(heartbeat) && !heartbeat.ok())
    log_.Error("cannot renew a node's heartbeat", {{"error", heartbeat.message()}});
}

Result<std::vector<std::string>> Up::MakeClasses(const Patience& patience) {
  // All nodes have the same drivers.
  return MakeDeviceClasses(*client_, nodes_.front()->classes(), patience);
}

void Up::KeepClasses(const Cancel& stop) {
  const Result<std::vector<std::string>> made = MakeClasses({std::chrono::steady_clock::now() + kHeartbeatTime, &stop});
  if (!stop.requested() && classes_told_.IsNew(made.status()) && !made.ok())
    log_.Error("cannot create a missing DeviceClass", {{"error", made.status().message()}});
  if (made.ok() && !made->empty()) log_.Info("created deleted DeviceClasses again", {{"classes", Join(*made, ", ")}});
}

void Up::Run(const Cancel& stop) {
  std::thread certificates([&] { api_->Tend(stop); });
  while (Rest(options_.heartbeat_every, stop)) {
    RenewHeartbeats(stop);
    KeepClasses(stop);
  }
  certificates.join();
}

size_t Up::Stop() {
  if (std::exchange(stopped_, true)) return 0;
  size_t running = 0;
  logs_.Set(nullptr);
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    (*part)->Stop();
    running += (*part)->running();
  }
  parts_.clear();
  for (const std::unique_ptr<LocalNode>& node : nodes_) node->RequestStop();
  nodes_.clear();
  client_.reset();
  api_.reset();
  return running;
}

}  // namespace allot::local
