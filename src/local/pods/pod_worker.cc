#include "local/pods/pod_worker.h"

#include <algorithm>
#include <csignal>

#include "json/editor.h"
#include "json/json.h"
#include "kube/timestamp.h"
#include "local/containers/log_reader.h"
#include "local/pods/pod_rules.h"

namespace allot::local {

using json::ItemsOf;
using json::TextOf;
using std::chrono::milliseconds;
using Phase = ContainerState::Phase;

namespace {

constexpr size_t kMessageLines = 80, kMessageBytes = 2048;  // kubelet's limits for a message from the log

bool IsNewer(const kube::Object& a, const kube::Object& b) {
  return kube::VersionNumber(a).value_or(0) > kube::VersionNumber(b).value_or(0);
}

int64_t IntOf(const json::Value& value) { return value.IsNumber() ? value.AsInt64().value_or(0) : 0; }

}  // namespace

PodWorker::PodWorker(PodWorld& world, PodRecord record)
    : world_(world), record_(std::move(record)), folder_(world.files, world.node_folder, record_.name_space, record_.name, record_.uid) {}

Result<PodWorker::Next> PodWorker::Sync(kube::ObjectPtr pod) {
  come_back_.reset();
  retries_ = false;
  gone_ = gone_ || pod == nullptr;
  if (pod != nullptr && (api_ == nullptr || IsNewer(*pod, *api_))) api_ = std::move(pod);
  TRY(Load());
  TRY(Refresh());
  if (gone_) return SyncGone();

  Status status;
  if (!IsTerminal()) {
    CheckDeadline();
    const bool ends = IsDeleted() || !failure_reason_.empty() || completed_;
    status = ends ? StopAll() : Forward();
    if (completed_ && !ends) status = StopAll();
    TRY(WriteStatus());
  } else {
    status = StopAll();
  }
  TRY(std::move(status));
  if (IsTerminal() && !AnyRuns()) {
    TRY(Release());
    if (IsDeleted()) TRY(DeleteFromApi());
  }
  if (!come_back_) return Next{};
  return Next{false, std::max(std::chrono::ceil<milliseconds>(*come_back_ - Now()), milliseconds(0))};
}

Status PodWorker::Load() {
  if (loaded_) return Status();
  if (Result<PodRecord> written = folder_.Read(); written.ok()) record_.claims = std::move(written->claims);
  if (!gone_ && !IsTerminal()) TRY(folder_.Write(record_));
  std::vector<Member> members;
  if (api_ == nullptr) {
    for (const std::string& name : folder_.Containers()) members.emplace_back().view.name = name;
  } else {
    for (const std::string_view list : {"initContainers", "containers"}) {
      for (const json::Value& container : ItemsOf(pod()["spec"][list])) {
        ContainerView& view = members.emplace_back().view;
        view.name = TextOf(container["name"]);
        view.image = TextOf(container["image"]);
        view.init = list == "initContainers";
        view.sidecar = view.init && TextOf(container["restartPolicy"]) == "Always";
      }
    }
    started_at_ = kube::ParseTime(TextOf(pod()["status"]["startTime"])).value_or(world_.clock.Now());
  }
  for (Member& member : members) TRY(LoadMember(member));
  members_ = std::move(members);
  loaded_ = true;
  return Status();
}

Status PodWorker::LoadMember(Member& member) {
  ContainerView& view = member.view;
  for (const int attempt : folder_.Attempts(view.name)) {
    ASSIGN_OR_RETURN(const ContainerState state, world_.containers.Look(folder_.RunPath(view.name, attempt)));
    if (state.phase == Phase::kStarting) return Unavailable("container ", view.name, " is still being started");
    if (state.phase != Phase::kRunning && state.phase != Phase::kEnded) continue;
    view.last = std::move(view.current);
    view.current = InstanceOf(member, attempt, state);
  }
  if (!view.current && api_ != nullptr) {
    // The container's folder is lost, but the API knows that it ran.
    for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
      for (const json::Value& status : ItemsOf(pod()["status"][list])) {
        const bool ran =
            !status["state"]["running"].IsNull() || !status["state"]["terminated"].IsNull() || !status["lastState"]["terminated"].IsNull();
        if (TextOf(status["name"]) == view.name && ran) view.current = LostInstance(status);
      }
    }
  }
  if (view.current) {
    member.ran = view.current->started_at.has_value();
    member.restarts = view.current->attempt;
  }
  return Status();
}

Instance PodWorker::LostInstance(const json::Value& status) const {
  const json::Value& ended = status["state"]["terminated"].IsNull() ? status["lastState"]["terminated"] : status["state"]["terminated"];
  Instance lost;
  lost.attempt = static_cast<int>(IntOf(status["restartCount"]));
  if (!status["state"]["running"].IsNull() || ended.IsNull()) {
    lost.started_at = kube::ParseTime(TextOf(status["state"]["running"]["startedAt"]));
    lost.exit = ContainerExit{137, 0, "ContainerStatusUnknown", "its files are gone, so its exit code is unknown", world_.clock.Now()};
    return lost;
  }
  lost.started_at = kube::ParseTime(TextOf(ended["startedAt"]));
  lost.exit =
      ContainerExit{static_cast<int>(IntOf(ended["exitCode"])), 0, std::string(TextOf(ended["reason"])),
                    std::string(TextOf(ended["message"])), kube::ParseTime(TextOf(ended["finishedAt"])).value_or(world_.clock.Now())};
  return lost;
}

Instance PodWorker::InstanceOf(Member& member, int attempt, const ContainerState& state) const {
  member.birth = state.birth;
  Instance instance;
  instance.attempt = attempt;
  if (state.birth) instance.started_at = state.birth->started_at;
  instance.exit = state.exit;
  const bool failed = state.exit && state.exit->exit_code != 0 && state.exit->reason.empty();
  if (failed && api_ != nullptr && TextOf(SpecOf(member)["terminationMessagePolicy"]) == "FallbackToLogsOnError") {
    const std::string lines = LastLines(folder_.RunPath(member.view.name, attempt), kMessageLines, kMessageBytes);
    instance.message = kube::LimitText(lines, 3 * kMessageBytes);  // replaces invalid UTF-8
  }
  return instance;
}

Status PodWorker::Refresh() {
  for (Member& member : members_) {
    if (member.unsure) TRY(RefreshUnsure(member));
    if (member.view.running()) TRY(RefreshRunning(member));
  }
  return Status();
}

// A Start that returned an error may have succeeded later.
Status PodWorker::RefreshUnsure(Member& member) {
  ASSIGN_OR_RETURN(const ContainerState state, world_.containers.Look(folder_.RunPath(member.view.name, *member.unsure)));
  if (state.phase == Phase::kStarting) {
    ComeBackAt(Now() + world_.limits.first_retry);
    return Status();
  }
  if (state.phase == Phase::kRunning || state.phase == Phase::kEnded) {
    member.view.last = std::move(member.view.current);
    member.view.current = InstanceOf(member, *member.unsure, state);
    member.view.waiting_reason.clear(), member.view.waiting_message.clear();
    member.not_before.reset();
    member.ran = true;
  }
  member.unsure.reset();
  return Status();
}

Status PodWorker::RefreshRunning(Member& member) {
  ContainerView& view = member.view;
  ASSIGN_OR_RETURN(const ContainerState state, world_.containers.Look(folder_.RunPath(view.name, view.current->attempt)));
  if (state.phase == Phase::kRunning) return Status();
  if (state.phase == Phase::kEnded) {
    view.current = InstanceOf(member, view.current->attempt, state);
  } else {
    // The folder was removed while the container ran. Kill the program; then its shim ends, too.
    if (member.birth && IsAlive(member.birth->shim)) {
      SignalProcess(member.birth->main, SIGKILL);
      return Unavailable("container ", view.name, ": its files are gone; killing it");
    }
    view.current->exit =
        ContainerExit{137, 0, "ContainerStatusUnknown", "its files are gone, so its exit code is unknown", world_.clock.Now()};
  }
  member.not_before.reset();
  if (view.current->started_at && view.current->exit->finished_at - *view.current->started_at >= world_.limits.good_run) {
    member.restarts = 0;
  }
  return Status();
}

PodView PodWorker::View() const {
  PodView view;
  view.prepared = prepared_;
  view.started_at = started_at_;
  view.failure_reason = failure_reason_;
  view.failure_message = failure_message_;
  const bool ends = IsDeleted() || !failure_reason_.empty() || completed_;
  view.finished = ends && !AnyRuns();
  const bool has_init = !members_.empty() && members_.front().view.init;
  for (const Member& member : members_) {
    ContainerView one = member.view;
    if (ends && one.current) one.waiting_reason.clear();
    if (!one.current && one.waiting_reason.empty()) {
      one.waiting_reason = has_init && !one.init ? "PodInitializing" : "ContainerCreating";
    }
    (one.init ? view.init : view.main).push_back(std::move(one));
  }
  return view;
}

Status PodWorker::WriteStatus() {
  const std::optional<std::string> patch = StatusPatch(pod(), View(), world_.clock.Now());
  if (!patch) return Status();
  Result<kube::ObjectPtr> answer = world_.client.Patch(kube::types::kPods, record_.name_space, record_.name, kube::PatchType::kStrategic,
                                                       *patch, "status", {}, CallTime());
  if (answer.ok()) {
    api_ = *std::move(answer);
    return Status();
  }
  // The Pod is gone, or another Pod has its name: the informer will deliver the event.
  if (answer.status().code() == Code::kNotFound || answer.status().code() == Code::kConflict) {
    ComeBackAt(Now() + world_.limits.first_retry);
    return Status();
  }
  return answer.status();
}

void PodWorker::Tell(kube::EventType type, std::string_view reason, std::string_view message) {
  world_.events.Record({"v1", "Pod", record_.name_space, record_.name, record_.uid, ""}, type, reason, message);
}

void PodWorker::ComeBackAt(MonotonicTime time) { come_back_ = come_back_ ? std::min(*come_back_, time) : time; }

Patience PodWorker::CallTime(milliseconds limit) const { return {std::chrono::steady_clock::now() + limit, &world_.stop}; }

const json::Value& PodWorker::SpecOf(const Member& member) const {
  static const json::Value kNone{};
  for (const json::Value& container : ItemsOf(pod()["spec"][member.view.init ? "initContainers" : "containers"])) {
    if (TextOf(container["name"]) == member.view.name) return container;
  }
  return kNone;
}

bool PodWorker::IsTerminal() const {
  const std::string_view phase = TextOf(pod()["status"]["phase"]);
  return phase == "Succeeded" || phase == "Failed";
}

bool PodWorker::IsDeleted() const { return api_ != nullptr && !pod()["metadata"]["deletionTimestamp"].IsNull(); }

bool PodWorker::AnyRuns() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& member) { return member.view.running() || member.unsure; });
}

}  // namespace allot::local
