#include "node/agent.h"

#include <malloc.h>
#include <poll.h>

#include <atomic>
#include <set>

#include "base/resident.h"
#include "device/discovery.h"
#include "node/bulletin.h"
#include "node/devices.h"
#include "node/dra_service.h"
#include "node/health_service.h"
#include "node/install.h"
#include "node/kube_world.h"
#include "node/leftovers.h"
#include "node/metrics.h"
#include "node/monitor.h"
#include "node/offer.h"
#include "node/policy.h"
#include "node/publisher.h"
#include "node/registration.h"
#include "node/report.h"
#include "node/rivals.h"
#include "node/rpc/server.h"

namespace allot::node {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick{1000};    // how often the small things are looked at: the policy file, what is held
constexpr seconds kHealthEvery{20};    // kubelet is told again,
constexpr seconds kHealthTimeout{60};  // and takes a device for unknown after
constexpr seconds kRivalEvery{5};
constexpr seconds kDrain{10};
constexpr seconds kIdle{10};  // after the last call
constexpr seconds kSweepLimit{30};
constexpr seconds kLeftoversEvery{60};
constexpr seconds kRepairPause{5};  // after a repair, before the next one
constexpr seconds kRepairRetry{15};
constexpr seconds kSweepPause{30};  // the same, of a sweep that somebody waits for
constexpr size_t kMaxCalls = 256;   // of kubelet at once; each may wait for another one to end
constexpr std::string_view kHookName = "allot-cdi-hook";

// False: asked to stop.
bool Rest(milliseconds time, const Cancel& stop) {
  pollfd asked = {stop.fd(), POLLIN, 0};
  poll(&asked, 1, static_cast<int>(time.count()));
  return !stop.requested();
}

// Tells a state once, when it changes.
class Told {
 public:
  bool IsNew(const Status& status) {
    std::string text = status.ok() ? std::string() : std::string(status.message());
    if (known_ && text == text_) return false;
    const bool worth = known_ || !text.empty();
    known_ = true;
    text_ = std::move(text);
    return worth;
  }

 private:
  bool known_ = false;
  std::string text_;
};

}  // namespace

class Agent::Parts {
 public:
  Parts(AgentOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log)
      : options_(std::move(options)),
        client_(client),
        files_(files),
        clock_(clock),
        log_(log),
        state_folder_(StrCat(options_.sockets.plugins_dir, "/", kDriver)),
        inventory_({.scan = {.driver_root = options_.driver_root.here, .sysfs = options_.sys, .health = options_.health}}, files, clock,
                   [this] {
                     looked_.store(true);
                     changed_.store(true);
                   }),
        world_(client, inventory_),
        cdi_(files, WithHook(options_, state_folder_), options_.driver_root),
        toolkit_(files, options_.toolkit_folders),
        time_slice_(options_.driver_root),
        policy_(files, options_.config_path),
        bulletin_(client, options_.pod, options_.node_name, clock),
        publisher_(client, {.driver = std::string(kDriver), .node_name = options_.node_name}, random, clock,
                   [this](const Publication& publication) { OnPublished(publication); }) {
    options_.sockets.driver = kDriver;
  }

  Status Run(const Cancel& stop) {
    ASSIGN_OR_RETURN(const SocketPaths paths, PathsOf(options_.sockets));
    TRY(MakePrivateDirs(state_folder_));
    ASSIGN_OR_RETURN(journal_, Journal::Open(files_, state_folder_));
    TRY(InstallHook());
    RefreshPolicy();
    preparer_.emplace(Preparer::Parts{files_, *journal_, cdi_, toolkit_, time_slice_, world_, clock_, options_.node_name,
                                      options_.mps_pipes, [this](std::string_view line) { log_.Info(line); }});
    registration_.emplace(Registration::DraPlugin(std::string(kDriver), paths.service), [this](const rpc::RegistrationStatus& status) {
      if (status.registered) return log_.Info("registered with kubelet");
      log_.Error("not registered with kubelet", {{"error", status.error}});
    });
    TRY(StartMonitors());
    inventory_.Start();
    if (AwaitAlone(stop)) {
      RemoveDeadSockets(files_, options_.sockets.registry_dir, state_folder_);
      TRY(Serve(paths));
      log_.Info("serving", {{"node", options_.node_name}, {"socket", paths.service}});
      Work(paths, stop);
    }
    log_.Info("stopping");
    server_->Drain(std::chrono::steady_clock::now() + kDrain);
    UnmarkSocket(files_, mark_);
    publisher_.Stop();
    inventory_.Stop();
    return {};
  }

 private:
  enum Fault { kJournal, kRepair, kSockets, kConfig };

  static CdiOptions WithHook(const AgentOptions& options, const std::string& state_folder) {
    CdiOptions cdi = options.cdi;
    if (!options.hook_program.empty()) cdi.hook = StrCat(state_folder, "/", kHookName);
    return cdi;
  }

  // Into a folder that has the same name on the host.
  Status InstallHook() {
    if (options_.hook_program.empty()) {
      log_.Warning("there is no allot-cdi-hook beside this program: containers must find the driver's libraries by themselves");
      return {};
    }
    const std::string place = StrCat(state_folder_, "/", kHookName);
    Status installed = InstallProgram(options_.hook_program, place);
    if (installed.ok() || !files_.Exists(place)) return installed;
    // A full disk must not keep claims from being let go: that of the agent before us does as well.
    log_.Warning("the hook of an older agent is used", {{"error", installed.message()}});
    return {};
  }

  // What shows how the agent is, also while it waits for something.
  Status StartMonitors() {
    const auto ready = [this] { return Ready(); };
    ASSIGN_OR_RETURN(server_, rpc::Server::Start({.workers = {.max_threads = kMaxCalls}}));
    if (!options_.health_address.empty()) {
      auto checks = std::make_shared<rpc::Services>();
      AddHealthCheck(*checks, ready);
      ASSIGN_OR_RETURN(http::Listener listener, ListenTcp(options_.health_address).Context("gRPC health"));
      // Anybody on the network may ask, and asks for little.
      server_->Serve(std::move(listener), checks, {.limits = {.max_message = 1 << 10, .max_requests = 16 << 10, .max_streams = 8}});
    }
    if (options_.http_address.empty()) return {};
    ASSIGN_OR_RETURN(monitor_, StartMonitor(options_.http_address, {[this] { return Metrics(); }, ready}).Context("metrics"));
    return {};
  }

  // Whether a device plugin serves the GPUs; kUnavailable also where the API cannot tell.
  Status CheckNode(const Cancel& stop) {
    const MonotonicTime soon = std::chrono::steady_clock::now() + kRivalEvery;
    ASSIGN_OR_RETURN(const kube::ObjectPtr node, client_.Get(kube::types::kNodes, "", options_.node_name, {soon, &stop}));
    return CheckDevicePlugin(node->json());
  }

  // Waits until no other driver serves this node. False: asked to stop.
  bool AwaitAlone(const Cancel& stop) {
    for (;;) {
      const Status alone = CheckDraDriver(files_, options_.sockets.registry_dir, state_folder_);
      if (rival_told_.IsNew(alone) && !alone.ok()) log_.Error("not serving", {{"error", std::string(alone.message())}});
      SetWaiting(alone);
      bulletin_.Tell(alone);
      if (alone.ok()) return !stop.requested();
      if (!Rest(kRivalEvery, stop)) return false;
    }
  }

  Status Serve(const SocketPaths& paths) {
    dra_.emplace(*preparer_, calls_, log_);
    dra_->AddTo(*services_);
    health_.AddTo(*services_);
    registration_->AddTo(*registration_services_);
    return Listen(paths);
  }

  Status Listen(const SocketPaths& paths) {
    ASSIGN_OR_RETURN(http::Listener service, ListenAt(paths.service));
    server_->Serve(std::move(service), services_);
    ASSIGN_OR_RETURN(http::Listener registrar, ListenAt(paths.registration));
    ASSIGN_OR_RETURN(mark_, MarkSocket(files_, state_folder_, paths.registration));
    server_->Serve(std::move(registrar), registration_services_);
    return {};
  }

  // Offers nothing before the API has said that no device plugin does. Claims that are held are served all the same.
  bool MayPublish(const Cancel& stop) {
    // With a file that was broken from the start we would share what should not be: what is on the server stays as it is.
    if (!knows_policy_) return false;
    if (publishing_) return true;
    const Status alone = CheckNode(stop);
    if (rival_told_.IsNew(alone) && !alone.ok()) log_.Error("nothing is offered", {{"error", std::string(alone.message())}});
    SetWaiting(alone);
    if (!alone.ok()) return false;
    publisher_.Start();
    return publishing_ = true;
  }

  // The rest of the agent's life.
  void Work(const SocketPaths& paths, const Cancel& stop) {
    std::optional<MonotonicTime> idle_at = clock_.MonotonicNow() + kIdle;  // when to give memory back; nothing: done
    uint64_t calls = 0;
    MonotonicTime health_due{}, repair_due{}, repair_again{}, leftovers_due{}, sweep_due{}, swept_at{};
    for (;;) {
      for (std::string& damage : journal_->TakeDamage()) log_.Error("journal damaged", {{"error", std::move(damage)}});
      RefreshPolicy();
      if (const Status serving = KeepSockets(paths); sockets_told_.IsNew(serving) && !serving.ok())
        log_.Error("kubelet cannot reach this agent", {{"error", serving.message()}});
      const Result<Holdings> holdings = journal_->Read();
      SetFault(kJournal, holdings.status());
      if (journal_told_.IsNew(holdings.status()) && !holdings.ok()) log_.Error("journal", {{"error", holdings.status().message()}});
      if (holdings.ok() && looked_ && MayPublish(stop)) Publish(*holdings);
      if (looked_) bulletin_.Tell(Ready());
      const MonotonicTime now = clock_.MonotonicNow();
      if (changed_.exchange(false) || now >= health_due) {
        TellHealth();
        health_due = now + kHealthEvery;
      }
      const http::Patience patience{std::chrono::steady_clock::now() + kSweepLimit, &stop};
      const bool lost = now >= repair_again && holdings.ok() && preparer_->NeedsRepair(*holdings);
      if (looked_ && (now >= repair_due || lost)) {
        const Status repaired = preparer_->Repair(patience);
        if (repair_told_.IsNew(repaired) && !repaired.ok()) log_.Warning("repair", {{"error", repaired.message()}});
        SetFault(kRepair, repaired);
        repair_due = now + (repaired.ok() ? options_.sweep_every : kRepairRetry);  // what failed keeps us from being ready
        repair_again = now + kRepairPause;
      }
      if (now >= leftovers_due) {
        const WallTime before = clock_.Now() - kLeftoversEvery;
        RemoveLeftovers(files_, options_.cdi.folder, kCdiPrefix, before);
        RemoveLeftovers(files_, state_folder_, "", before);
        leftovers_due = now + kLeftoversEvery;
      }
      if (preparer_->WantsSweep()) sweep_due = std::min(sweep_due, swept_at + kSweepPause);
      if (now >= sweep_due) {
        const Status swept = preparer_->LetGo(options_.sweep_grace, patience);
        if (sweep_told_.IsNew(swept) && !swept.ok()) log_.Warning("sweep", {{"error", swept.message()}});
        sweep_due = now + options_.sweep_every;
        swept_at = now;
      }
      if (const uint64_t count = server_->stats().calls; std::exchange(calls, count) != count) idle_at = now + kIdle;
      if (idle_at && now >= *idle_at) {
        ::malloc_trim(0);
        idle_at.reset();
      }
      if (!Rest(kTick, stop)) return;
    }
  }

  void RefreshPolicy() {
    const NodeConfig before = policy_.current();
    const Status policy = policy_.Refresh();
    knows_policy_ = knows_policy_ || policy.ok();
    SetFault(kConfig, policy);
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

  // Whether kubelet finds us where it looks. A socket whose file is gone, or that another agent left behind, is made anew.
  Status KeepSockets(const SocketPaths& paths) {
    Status status;
    if (!IsSocketMarked(files_, mark_, paths.registration) || !files_.Exists(paths.service)) {
      status = CheckSocketFree(paths.registration);
      if (status.ok()) {
        log_.Warning("the sockets were gone; they are made again", {{"socket", paths.registration}});
        status = Listen(paths);
      }
    }
    SetFault(kSockets, status);
    return status;
  }

  // Says what the node offers, when that has changed.
  void Publish(const Holdings& holdings) {
    world_.KeepOnly(holdings);
    if (!knows_offered_) {
      // What is on the server was promised to those who hold it: only then can a change of policy wait for them.
      const Result<std::vector<kube::ObjectPtr>> slices = publisher_.Slices({std::chrono::steady_clock::now() + seconds(2)});
      if (!slices.ok()) return;
      std::vector<device::DeviceError> errors;
      for (const kube::ObjectPtr& slice : *slices) {
        ReadPolicies(slice->json()["spec"]["devices"], offered_);
        ReadErrors(slice->json()["spec"]["devices"], inventory_.snapshot()->gpus, errors);
      }
      knows_offered_ = true;
      // An agent that was started anew does not make a GPU well. What is offered shows it at the next look.
      if (!errors.empty()) return inventory_.Recall(std::move(errors));
    }
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
    for (std::string& problem : offer.problems) {
      if (problems_.insert(problem).second) log_.Warning("device left out", {{"error", std::move(problem)}});
    }
    for (const std::string& problem : snapshot->left_out) {
      if (problems_.insert(problem).second) log_.Warning("GPU that does not answer", {{"error", problem}});
    }
    for (const device::Gpu& gpu : snapshot->gpus) {
      for (const std::string& problem : gpu.problems) {
        if (problems_.insert(StrCat(gpu.uuid, problem)).second) log_.Warning("driver", {{"gpu", gpu.uuid}, {"error", problem}});
      }
    }
    offered_ = std::move(offer.policies);
    publisher_.Publish(std::move(offer.slices));
  }

  void TellHealth() {
    const std::shared_ptr<const device::Snapshot> snapshot = inventory_.snapshot();
    health_.Update(HealthOf(*snapshot, options_.node_name, clock_.Now(), kHealthTimeout));
    for (const auto& [uuid, health] : snapshot->health) {
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

  void OnPublished(const Publication& publication) {
    if (publication.status.ok()) {
      log_.Info("published", {{"devices", std::to_string(publication.devices)}, {"generation", std::to_string(publication.generation)}});
    } else {
      log_.Error("not all is published", {{"error", publication.status.message()}});
    }
  }

  void SetWaiting(Status status) {
    const std::lock_guard lock(waiting_mutex_);
    waiting_ = std::move(status);
  }

  void SetFault(Fault fault, Status status) {
    const std::lock_guard lock(waiting_mutex_);
    faults_[fault] = std::move(status);
  }

  Status Ready() {
    {
      const std::lock_guard lock(waiting_mutex_);
      TRY(Status(waiting_));
      for (const auto& [fault, status] : faults_) TRY(Status(status));
    }
    TRY(registration_->state());
    // A machine without a GPU is as it should be; one whose GPU cannot be used is not.
    if (const Status found = inventory_.status(); looked_ && !found.ok() && device::HasNvidiaGpu(files_, options_.sys)) return found;
    const Publication publication = publisher_.status();
    TRY(Status(publication.status));
    return publication.generation > 0 ? Status() : Unavailable("no devices are published yet");
  }

  std::string Metrics() {
    std::string text;
    calls_.AppendTo(text);
    const Result<Holdings> holdings = journal_->Read();
    if (!holdings.ok()) return text;
    AppendUse(inventory_, world_, *holdings, files_, options_.proc, options_.node_name, text);
    return text;
  }

  AgentOptions options_;
  kube::Client& client_;
  FileSystem& files_;
  const Clock& clock_;
  Log& log_;
  const std::string state_folder_;
  std::atomic<bool> looked_{false};  // at the GPUs, once
  std::atomic<bool> changed_{true};

  device::Inventory inventory_;
  KubeWorld world_;
  std::unique_ptr<Journal> journal_;
  Cdi cdi_;
  ToolkitSpec toolkit_;
  SmiTimeSlice time_slice_;
  PolicyFile policy_;
  Policies offered_;
  bool knows_offered_ = false;
  std::set<std::string> problems_;
  bool publishing_ = false;
  bool library_loaded_ = false;  // the driver's
  bool config_missing_ = false, knows_policy_ = false;
  SocketMark mark_;
  const std::shared_ptr<rpc::Services> services_ = std::make_shared<rpc::Services>();
  const std::shared_ptr<rpc::Services> registration_services_ = std::make_shared<rpc::Services>();
  std::mutex waiting_mutex_;
  Status waiting_;                                  // for others to go; ok: for nobody
  std::map<Fault, Status> faults_;                  // that keep us from serving
  std::map<std::string, std::string> health_told_;  // by UUID: what is wrong with it
  Told sockets_told_, rival_told_, repair_told_, policy_told_, sweep_told_, inventory_told_, journal_told_;
  CallMetrics calls_;
  std::optional<Preparer> preparer_;
  HealthService health_;
  std::optional<DraService> dra_;
  std::optional<Registration> registration_;
  Bulletin bulletin_;
  Publisher publisher_;
  std::unique_ptr<http::Server> monitor_;
  std::unique_ptr<rpc::Server> server_;
};

Agent::Agent(AgentOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), client, files, clock, random, log)) {}

Agent::~Agent() = default;

Status Agent::Run(const Cancel& stop) { return parts_->Run(stop); }

}  // namespace allot::node
