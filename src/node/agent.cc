#include "node/agent.h"

#include <malloc.h>

#include <map>
#include <mutex>
#include <optional>

#include "node/devices.h"
#include "node/install.h"
#include "node/kube_world.h"
#include "node/kubelet_side.h"
#include "node/leftovers.h"
#include "node/monitor.h"
#include "node/offering.h"
#include "node/report.h"
#include "node/rest.h"

namespace allot::node {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick{1000};     // how often the small things are looked at: the policy file, what is held
constexpr milliseconds kFirstTick{50};  // the same, until the GPUs were looked at
constexpr seconds kHealthEvery{20};     // kubelet is told again,
constexpr seconds kHealthTimeout{60};   // and takes a device for unknown after
constexpr seconds kIdle{10};            // after the last call
constexpr seconds kSweepLimit{30};
constexpr seconds kLeftoversEvery{60};
constexpr seconds kRepairPause{5};  // after a repair, before the next one
constexpr seconds kRepairRetry{15};
constexpr seconds kSweepPause{30};  // the same, of a sweep that somebody waits for
constexpr std::string_view kHookName = "allot-cdi-hook";

}  // namespace

class Agent::Parts {
 public:
  Parts(AgentOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log)
      : options_(std::move(options)),
        files_(files),
        clock_(clock),
        log_(log),
        state_folder_(options_.state_folder.empty() ? StrCat(options_.sockets.plugins_dir, "/", kDriver) : options_.state_folder),
        offering_({options_.node_name, options_.driver_root.here, options_.sys, options_.config_path, options_.health}, client, files,
                  clock, random, log),
        world_(client, offering_.inventory()),
        cdi_(files, WithHook(options_, state_folder_), options_.driver_root),
        toolkit_(files, options_.toolkit_folders),
        time_slice_(options_.driver_root),
        bulletin_(client, options_.pod, options_.node_name, clock) {
    options_.sockets.driver = kDriver;
    if (options_.kubelet) kubelet_.emplace(options_.sockets, state_folder_, files, log);
  }

  Status Open() {
    if (kubelet_) TRY(kubelet_->CheckPaths());
    TRY(MakePrivateDirs(state_folder_));
    ASSIGN_OR_RETURN(journal_, Journal::Open(files_, state_folder_));
    if (kubelet_ || !options_.hook_program.empty()) TRY(InstallHook());
    preparer_.emplace(Preparer::Parts{files_, *journal_, cdi_, toolkit_, time_slice_, world_, clock_, options_.node_name,
                                      options_.mps_pipes, [this](std::string_view line) { log_.Info(line); }, options_.in_use});
    return {};
  }

  Status Run(const Cancel& stop) {
    if (!preparer_) TRY(Open());
    offering_.RefreshPolicy();
    TRY(StartMonitors());
    offering_.Start();
    if (!kubelet_) {
      Work(stop);
    } else if (kubelet_->AwaitAlone(stop, [this](const Status& alone) { bulletin_.Tell(alone); })) {
      TRY(kubelet_->Serve(*preparer_));
      log_.Info("serving", {{"node", options_.node_name}, {"socket", kubelet_->socket()}});
      Work(stop);
    }
    if (kubelet_) {
      log_.Info("stopping");
      kubelet_->Stop();
    }
    offering_.Stop();
    return {};
  }

  Preparer& preparer() { return *preparer_; }
  const device::Inventory& inventory() const { return offering_.inventory(); }

  Status Ready() {
    {
      const std::lock_guard lock(faults_mutex_);
      for (const auto& [fault, status] : faults_) TRY(Status(status));
    }
    if (kubelet_) TRY(kubelet_->state());
    return offering_.state();
  }

 private:
  enum Fault { kJournal, kRepair };

  // When what is done now and then is due.
  struct Schedule {
    std::optional<MonotonicTime> idle;  // when to give memory back; nothing: done
    uint64_t calls = 0;                 // when that was looked at
    MonotonicTime health{}, repair{}, repair_again{}, leftovers{}, sweep{}, swept_at{};
  };

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
    if (kubelet_) TRY(kubelet_->Start(options_.health_address, ready));
    if (options_.http_address.empty()) return {};
    ASSIGN_OR_RETURN(monitor_, StartMonitor(options_.http_address, {[this] { return Metrics(); }, ready}).Context("metrics"));
    return {};
  }

  // The rest of the agent's life.
  void Work(const Cancel& stop) {
    Schedule due;
    due.idle = clock_.MonotonicNow() + kIdle;
    do {
      for (std::string& damage : journal_->TakeDamage()) log_.Error("journal damaged", {{"error", std::move(damage)}});
      offering_.RefreshPolicy();
      if (kubelet_) kubelet_->Keep();
      const Result<Holdings> holdings = journal_->Read();
      SetFault(kJournal, holdings.status());
      if (journal_told_.IsNew(holdings.status()) && !holdings.ok()) log_.Error("journal", {{"error", holdings.status().message()}});
      if (holdings.ok()) {
        world_.KeepOnly(*holdings);
        offering_.Publish(*holdings, stop);
      }
      if (offering_.looked()) bulletin_.Tell(Ready());
      TellHealth(due);
      Mend(holdings, stop, due);
      GiveMemoryBack(due);
    } while (Rest(offering_.looked() ? kTick : kFirstTick, stop));
  }

  void TellHealth(Schedule& due) {
    const MonotonicTime now = clock_.MonotonicNow();
    if (!offering_.TakeChange() && now < due.health) return;
    if (kubelet_) kubelet_->TellHealth(HealthOf(*offering_.inventory().snapshot(), options_.node_name, clock_.Now(), kHealthTimeout));
    offering_.TellHealth();
    due.health = now + kHealthEvery;
  }

  // Makes journal, CDI specs and API agree.
  void Mend(const Result<Holdings>& holdings, const Cancel& stop, Schedule& due) {
    const MonotonicTime now = clock_.MonotonicNow();
    const http::Patience patience{std::chrono::steady_clock::now() + kSweepLimit, &stop};
    const bool lost = now >= due.repair_again && holdings.ok() && preparer_->NeedsRepair(*holdings);
    if (offering_.looked() && (now >= due.repair || lost)) {
      const Status repaired = preparer_->Repair(patience);
      if (repair_told_.IsNew(repaired) && !repaired.ok()) log_.Warning("repair", {{"error", repaired.message()}});
      SetFault(kRepair, repaired);
      due.repair = now + (repaired.ok() ? options_.sweep_every : kRepairRetry);  // what failed keeps us from being ready
      due.repair_again = now + kRepairPause;
    }
    if (now >= due.leftovers) {
      const WallTime before = clock_.Now() - kLeftoversEvery;
      RemoveLeftovers(files_, options_.cdi.folder, kCdiPrefix, before);
      RemoveLeftovers(files_, state_folder_, "", before);
      due.leftovers = now + kLeftoversEvery;
    }
    if (preparer_->WantsSweep()) due.sweep = std::min(due.sweep, due.swept_at + kSweepPause);
    if (now < due.sweep) return;
    const Status swept = preparer_->LetGo(options_.sweep_grace, patience);
    if (sweep_told_.IsNew(swept) && !swept.ok()) log_.Warning("sweep", {{"error", swept.message()}});
    due.sweep = now + options_.sweep_every;
    due.swept_at = now;
  }

  void GiveMemoryBack(Schedule& due) const {
    const MonotonicTime now = clock_.MonotonicNow();
    const uint64_t calls = kubelet_ ? kubelet_->calls() : 0;
    if (std::exchange(due.calls, calls) != calls) due.idle = now + kIdle;
    if (!due.idle || now < *due.idle) return;
    ::malloc_trim(0);
    due.idle.reset();
  }

  void SetFault(Fault fault, Status status) {
    const std::lock_guard lock(faults_mutex_);
    faults_[fault] = std::move(status);
  }

  std::string Metrics() {
    std::string text;
    if (kubelet_) kubelet_->metrics().AppendTo(text);
    const Result<Holdings> holdings = journal_->Read();
    if (!holdings.ok()) return text;
    AppendUse(offering_.inventory(), world_, *holdings, files_, options_.proc, options_.node_name, text);
    return text;
  }

  AgentOptions options_;
  FileSystem& files_;
  const Clock& clock_;
  Log& log_;
  const std::string state_folder_;
  std::mutex faults_mutex_;
  std::map<Fault, Status> faults_;  // that keep us from serving
  Told repair_told_, sweep_told_, journal_told_;

  Offering offering_;
  KubeWorld world_;
  std::unique_ptr<Journal> journal_;
  Cdi cdi_;
  ToolkitSpec toolkit_;
  SmiTimeSlice time_slice_;
  std::optional<Preparer> preparer_;
  Bulletin bulletin_;
  std::optional<KubeletSide> kubelet_;
  std::unique_ptr<http::Server> monitor_;
};

Agent::Agent(AgentOptions options, kube::Client& client, FileSystem& files, const Clock& clock, Random& random, Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), client, files, clock, random, log)) {}

Agent::~Agent() = default;

Status Agent::Open() { return parts_->Open(); }
Status Agent::Run(const Cancel& stop) { return parts_->Run(stop); }
Preparer& Agent::preparer() { return parts_->preparer(); }
const device::Inventory& Agent::inventory() const { return parts_->inventory(); }
Status Agent::state() { return parts_->Ready(); }

}  // namespace allot::node
