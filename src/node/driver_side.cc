#include "node/driver_side.h"

#include <algorithm>

#include "base/rest.h"
#include "node/install.h"
#include "node/leftovers.h"
#include "node/usage.h"

namespace allot::node {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick{1000};     // between two looks at the configuration and the holdings
constexpr milliseconds kFirstTick{50};  // the same, until the driver has looked at its devices
constexpr seconds kHealthEvery{20};     // between two reports of health to kubelet
constexpr seconds kHealthTimeout{60};   // after a report, before kubelet takes a device for unknown
constexpr seconds kSweepLimit{30};
constexpr seconds kLeftoversEvery{60};
constexpr seconds kRepairPause{5};  // between two repairs
constexpr seconds kRepairRetry{15};
constexpr seconds kSweepPause{30};  // between two sweeps, if a claim waits for one
constexpr std::string_view kHookName = "allot-cdi-hook";

SocketPlaces PlacesOf(const AgentOptions& options, std::string_view driver) {
  SocketPlaces places = options.sockets;
  places.driver = driver;
  return places;
}

}  // namespace

DriverSide::DriverSide(Driver& driver, std::string state_folder, const Shared& shared)
    : driver_(driver),
      shared_(shared),
      state_folder_(state_folder.empty() ? StrCat(shared.options.sockets.plugins_dir, "/", driver.name()) : std::move(state_folder)),
      cdi_(shared.files, shared.options.cdi_folder, driver.name()),
      offering_(driver, shared.options.node_name, shared.client, shared.clock, shared.random, shared.log) {
  if (shared.options.kubelet) {
    kubelet_.emplace(PlacesOf(shared.options, driver.name()), state_folder_, driver, shared.files, shared.log);
  }
}

Status DriverSide::Open() {
  if (kubelet_) TRY(kubelet_->CheckPaths());
  TRY(MakePrivateDirs(state_folder_));
  ASSIGN_OR_RETURN(journal_, Journal::Open(shared_.files, state_folder_));
  const std::string& hook = shared_.options.hook_program;
  if (!hook.empty()) TRY(InstallHook());
  preparer_.emplace(Preparer::Parts{driver_.claims(), *journal_, cdi_, shared_.world, shared_.clock, shared_.options.node_name,
                                    hook.empty() ? "" : StrCat(state_folder_, "/", kHookName),
                                    [this](std::string_view line) { shared_.log.Info(line); }, shared_.options.in_use});
  return {};
}

// The state folder has the same path in the agent's container and on the host.
Status DriverSide::InstallHook() {
  const std::string place = StrCat(state_folder_, "/", kHookName);
  Status installed = InstallProgram(shared_.options.hook_program, place);
  if (installed.ok() || !shared_.files.Exists(place)) return installed;
  // A full disk must not keep claims from being unprepared, and the hook of an older agent works as well.
  shared_.log.Warning("the hook of an older agent is used", {{"error", installed.message()}});
  return {};
}

Status DriverSide::Run(rpc::Server* server, const Cancel& stop) {
  driver_.Refresh();
  driver_.Start();
  if (kubelet_) {
    if (!kubelet_->AwaitAlone(stop)) return {};
    TRY(kubelet_->Serve(*preparer_, *server));
    shared_.log.Info("serving", {{"node", shared_.options.node_name}, {"socket", kubelet_->socket()}});
  }
  Work(stop);
  return {};
}

void DriverSide::Stop() {
  if (kubelet_) kubelet_->Stop();
  offering_.Stop();
  driver_.Stop();
}

void DriverSide::Work(const Cancel& stop) {
  const std::string name(driver_.name());
  Schedule due;
  do {
    for (std::string& damage : journal_->TakeDamage()) {
      shared_.log.Error("journal damaged", {{"error", std::move(damage)}, {"driver", name}});
    }
    driver_.Refresh();
    if (kubelet_) kubelet_->Keep();
    const Result<Holdings> holdings = journal_->Read();
    SetFault(kJournal, holdings.status());
    if (journal_told_.IsNew(holdings.status()) && !holdings.ok()) {
      shared_.log.Error("journal", {{"error", holdings.status().message()}, {"driver", name}});
    }
    if (holdings.ok()) offering_.Publish(*holdings, stop);
    TellHealth(due);
    Mend(holdings, stop, due);
  } while (Rest(driver_.changes() > 0 ? kTick : kFirstTick, stop));
}

void DriverSide::TellHealth(Schedule& due) {
  const MonotonicTime now = shared_.clock.MonotonicNow();
  const uint64_t changes = driver_.changes();
  if (!kubelet_ || (std::exchange(due.changes, changes) == changes && now < due.health)) return;
  kubelet_->TellHealth(driver_.Devices(), shared_.options.node_name, shared_.clock.Now(), kHealthTimeout);
  due.health = now + kHealthEvery;
}

void DriverSide::Mend(const Result<Holdings>& holdings, const Cancel& stop, Schedule& due) {
  const MonotonicTime now = shared_.clock.MonotonicNow();
  const Patience patience{std::chrono::steady_clock::now() + kSweepLimit, &stop};
  const std::string name(driver_.name());
  const bool lost = now >= due.repair_again && holdings.ok() && preparer_->NeedsRepair(*holdings);
  if (driver_.changes() > 0 && (now >= due.repair || lost)) {
    const Status repaired = preparer_->Repair(patience);
    if (repair_told_.IsNew(repaired) && !repaired.ok()) {
      shared_.log.Warning("repair", {{"error", repaired.message()}, {"driver", name}});
    }
    SetFault(kRepair, repaired);
    due.repair = now + (repaired.ok() ? shared_.options.sweep_every : kRepairRetry);  // the agent is not ready while a repair fails
    due.repair_again = now + kRepairPause;
  }
  if (now >= due.leftovers) {
    const WallTime before = shared_.clock.Now() - kLeftoversEvery;
    RemoveLeftovers(shared_.files, cdi_.folder(), cdi_.prefix(), before);
    RemoveLeftovers(shared_.files, state_folder_, "", before);
    due.leftovers = now + kLeftoversEvery;
  }
  if (preparer_->WantsSweep()) due.sweep = std::min(due.sweep, due.swept_at + kSweepPause);
  if (now < due.sweep) return;
  const Status swept = preparer_->LetGo(shared_.options.sweep_grace, patience);
  if (sweep_told_.IsNew(swept) && !swept.ok()) shared_.log.Warning("sweep", {{"error", swept.message()}, {"driver", name}});
  due.sweep = now + shared_.options.sweep_every;
  due.swept_at = now;
}

void DriverSide::SetFault(Fault fault, Status status) {
  const std::lock_guard lock(mutex_);
  faults_[fault] = std::move(status);
}

bool DriverSide::settled() { return driver_.changes() > 0 || (kubelet_ && kubelet_->waiting()); }

Status DriverSide::state() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [fault, status] : faults_) TRY(Status(status));
  }
  if (kubelet_) TRY(kubelet_->state());
  return offering_.state();
}

void DriverSide::AddMetrics(MetricsText& text) {
  if (kubelet_) kubelet_->metrics().AddTo(text);
  const Result<Holdings> holdings = journal_->Read();
  if (!holdings.ok()) return;
  const DeviceUse use = driver_.Use();
  AddDeviceMetrics({driver_.name(), driver_.metric_names(), driver_.Devices(), *holdings, use.used_mib,
                    UseOfClaims(use, shared_.world.Pods(), shared_.files, shared_.options.proc), shared_.options.node_name},
                   text);
}

}  // namespace allot::node
