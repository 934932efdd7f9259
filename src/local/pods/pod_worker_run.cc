// PodWorker: prepares claims, starts and restarts containers.

#include <algorithm>

#include "json/editor.h"
#include "kube/timestamp.h"
#include "local/gpu_users.h"
#include "local/pods/pod_rules.h"
#include "local/pods/pod_worker.h"

namespace allot::local {

using json::ItemsOf;
using json::TextOf;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kNoSlot{50};

}  // namespace

Status PodWorker::Forward() {
  std::vector<std::string> warnings;
  if (const Status rules = CheckPodSpec(world_.podman != nullptr ? Runtime::kPodman : Runtime::kProcess, pod(), warnings); !rules.ok()) {
    Fail("PodNotSupported", rules.message());
    return Status();
  }
  // All containers have ended for good, so do not prepare the claims: their devices may be gone.
  if (!prepared_ && IsOver()) {
    completed_ = true;
    return Status();
  }
  // An earlier `allot up` prepared the claims of running containers. Do not prepare them again: another GPU may have the device's name now.
  if (AnyRuns()) prepared_ = true;
  if (!prepared_) {
    if (!world_.prepare_slots.try_acquire()) {
      ComeBackAt(Now() + kNoSlot);
      return Status();
    }
    const Status status = Prepare();
    world_.prepare_slots.release();
    if (!status.ok()) {
      for (Member& member : members_) {
        if (!member.view.running()) Wait(member, "ContainerCreating", status, "");
      }
      Tell(kube::EventType::kWarning, "FailedPrepareDynamicResources", status.message());
      return Status();
    }
    prepared_ = true;
    retry_ = milliseconds(0);
  }
  const bool begun = std::any_of(members_.begin(), members_.end(), [](const Member& one) { return !one.view.init && one.view.current; });
  bool all_ended = true;
  for (Member& member : members_) {
    if (member.view.init && !member.view.sidecar && (begun || member.view.succeeded())) continue;
    ASSIGN_OR_RETURN(const Progress progress, Drive(member));
    if (member.view.sidecar) {
      if (!member.ran) return Status();  // later containers may need the sidecar
    } else if (member.view.init) {
      completed_ = progress == Progress::kEnded && !member.view.succeeded();
      if (!member.view.succeeded()) return Status();
    } else {
      all_ended = all_ended && progress == Progress::kEnded;
    }
  }
  completed_ = all_ended;
  return Status();
}

bool PodWorker::IsOver() const {
  const auto is_final = [this](const Member& one) {
    return !one.unsure && one.view.current && one.view.current->exit && !RestartsAfter(one);
  };
  bool all_ended = true;
  for (const Member& member : members_) {
    if (member.view.sidecar) continue;
    if (member.view.init && is_final(member) && !member.view.succeeded()) return true;
    if (!member.view.init) all_ended = all_ended && is_final(member);
  }
  return all_ended;
}

// Prepares all claims of the Pod, also those that no container uses.
Status PodWorker::Prepare() {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, ClaimsOf(pod()));
  std::vector<node::ClaimRef> claims;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(node::ClaimRef claim, FindClaim(name));
    claims.push_back(std::move(claim));
  }
  PodRecord record = record_;
  // A claim stays in the record until it is released.
  for (const node::ClaimRef& claim : claims) {
    const auto same = [&](const node::ClaimRef& known) { return known.uid == claim.uid; };
    if (std::none_of(record.claims.begin(), record.claims.end(), same)) record.claims.push_back(claim);
  }
  if (!(record == record_)) TRY(folder_.Write(record));
  record_ = std::move(record);
  for (const node::ClaimRef& claim : claims) TRY(world_.claims.Prepare(claim, record_.uid, {}, CallTime(world_.limits.prepare)).status());
  return Status();
}

Result<node::ClaimRef> PodWorker::FindClaim(const std::string& name) {
  Result<kube::ObjectPtr> claim = world_.client.Get(kube::types::kResourceClaims, record_.name_space, name, CallTime());
  if (!claim.ok()) return Status(Code::kUnavailable, claim.status().message());
  const json::Value& status = (*claim)->json()["status"];
  if (status["allocation"].IsNull()) return Unavailable("claim ", record_.name_space, "/", name, " is not allocated yet");
  const auto users = ItemsOf(status["reservedFor"]);
  if (std::none_of(users.begin(), users.end(), [&](const json::Value& user) { return TextOf(user["uid"]) == record_.uid; })) {
    return Unavailable("claim ", record_.name_space, "/", name, " is not reserved for the Pod");
  }
  return node::ClaimRef{record_.name_space, name, std::string((*claim)->uid())};
}

Result<DeviceAccess> PodWorker::DevicesOf(const json::Value& container) {
  DeviceAccess access;
  ASSIGN_OR_RETURN(const std::vector<ClaimUse> uses, ClaimsOf(pod(), container));
  for (const ClaimUse& use : uses) {
    const auto claim =
        std::find_if(record_.claims.begin(), record_.claims.end(), [&](const node::ClaimRef& known) { return known.name == use.claim; });
    if (claim == record_.claims.end()) return Unavailable("claim ", record_.name_space, "/", use.claim, " is not prepared");
    ASSIGN_OR_RETURN(const DeviceAccess more, world_.claims.Prepare(*claim, record_.uid, use.requests, CallTime(world_.limits.prepare)));
    Merge(more, access);
  }
  if (uses.empty()) access.environment = world_.claims.NoDevices();
  return access;
}

Result<PodWorker::Progress> PodWorker::Drive(Member& member) {
  if (member.view.running()) return Progress::kRuns;
  if (member.unsure) return Progress::kWaits;
  if (member.view.current) {
    if (!RestartsAfter(member)) {
      member.view.waiting_reason.clear();
      return Progress::kEnded;
    }
    if (MustWait(member)) return Progress::kWaits;
  }
  TRY(Start(member));
  if (member.view.running()) return Progress::kRuns;
  // The container has ended already, or could not be started.
  if (member.view.ended() && !RestartsAfter(member)) return Progress::kEnded;
  if (member.view.ended()) MustWait(member);
  return Progress::kWaits;
}

bool PodWorker::RestartsAfter(const Member& member) const {
  const json::Value& own = SpecOf(member)["restartPolicy"];
  const std::string_view policy = own.IsNull() ? TextOf(pod()["spec"]["restartPolicy"]) : TextOf(own);
  const bool failed = member.view.current->exit->exit_code != 0;
  if (member.view.sidecar) return true;
  if (member.view.init) return failed && policy != "Never";
  return policy == "Always" || (policy == "OnFailure" && failed);
}

// The first restart is immediate; then the pauses double.
bool PodWorker::MustWait(Member& member) {
  const PodLimits& limits = world_.limits;
  if (!member.not_before) {
    milliseconds pause{0};
    if (member.restarts > 0) {
      pause = limits.longest_backoff;
      if (member.restarts < 30) pause = std::min(limits.first_backoff * (int64_t{1} << (member.restarts - 1)), pause);
    }
    ++member.restarts;
    const auto since = std::chrono::duration_cast<milliseconds>(world_.clock.Now() - member.view.current->exit->finished_at);
    const milliseconds left = pause - std::clamp(since, milliseconds(0), pause);
    member.not_before = Now() + left;
    member.view.waiting_reason = "CrashLoopBackOff";
    member.view.waiting_message = StrCat("back-off ", pause.count() / 1000, "s restarting failed container=", member.view.name,
                                         " pod=", record_.name, "_", record_.name_space, "(", record_.uid, ")");
    if (left > milliseconds(0)) Tell(kube::EventType::kWarning, "BackOff", member.view.waiting_message);
  }
  if (Now() >= *member.not_before) return false;
  ComeBackAt(*member.not_before);
  return true;
}

Status PodWorker::Start(Member& member) {
  ContainerView& view = member.view;
  const json::Value& container = SpecOf(member);
  const Result<DeviceAccess> access = DevicesOf(container);
  if (!access.ok()) {
    Wait(member, "ContainerCreating", access.status(), "FailedPrepareDynamicResources");
    return Status();
  }
  const ObjectSource objects = [this](const kube::ResourceType& type, std::string_view name_space, std::string_view name) {
    return world_.client.Get(type, name_space, name, CallTime());
  };
  Result<ContainerSpec> spec = world_.podman != nullptr ? world_.podman->SpecOf(pod(), container, {world_.node}, access->edits, objects)
                                                        : MakeContainerSpec(pod(), container, {world_.node}, access->environment, objects);
  if (!spec.ok()) {
    Wait(member, "CreateContainerConfigError", spec.status(), "Failed");
    return Status();
  }
  // The shim reads the mark from the environment. With podman that is podman's environment, not the program's.
  if (const auto mark = access->environment.find(kGpuMark); mark != access->environment.end()) spec->environment.insert(*mark);
  spec->log_bytes = world_.limits.log_bytes;
  const std::string program = spec->argv.front();
  const int attempt = view.current ? view.current->attempt + 1 : 0;
  const Result<ContainerState> state = world_.containers.Start(folder_.RunPath(view.name, attempt), *std::move(spec));
  if (!state.ok()) {
    member.unsure = attempt;
    Wait(member, "RunContainerError", state.status(), "Failed");
    return Status();
  }
  view.last = std::move(view.current);
  view.current = InstanceOf(member, attempt, *state);
  view.waiting_reason.clear(), view.waiting_message.clear();
  member.not_before.reset();
  retry_ = milliseconds(0);
  TellOfImage(member, program);
  if (view.current->exit && !view.current->exit->reason.empty()) {
    Tell(kube::EventType::kWarning, "Failed", StrCat("Error: container ", view.name, ": ", view.current->exit->message));
  } else {
    member.ran = true;
    Tell(kube::EventType::kNormal, "Started", StrCat("Container started: ", view.name));
  }
  for (const int old : folder_.Attempts(view.name)) {
    if (old < attempt - 1) TRY(world_.containers.Remove(folder_.RunPath(view.name, old)));
  }
  return Status();
}

void PodWorker::TellOfImage(const Member& member, std::string_view program) {
  if (world_.podman != nullptr || std::exchange(told_images_, true)) return;
  Tell(kube::EventType::kNormal, "ImageNotUsed",
       StrCat("Containers run as processes of this machine: image ", Quoted(member.view.image), " is not used, its program is ",
              Quoted(program)));
}

// Schedules a retry after a growing pause.
void PodWorker::Wait(Member& member, std::string_view reason, const Status& why, std::string_view event) {
  member.view.waiting_reason = reason;
  member.view.waiting_message = why.message();
  if (!event.empty()) Tell(kube::EventType::kWarning, event, StrCat("Error: container ", member.view.name, ": ", why.message()));
  if (!retries_) retry_ = std::clamp(retry_ * 2, world_.limits.first_retry, world_.limits.longest_retry);
  retries_ = true;
  ComeBackAt(Now() + retry_);
}

void PodWorker::Fail(std::string reason, std::string message) {
  failure_reason_ = std::move(reason);
  failure_message_ = std::move(message);
  Tell(kube::EventType::kWarning, failure_reason_, failure_message_);
}

void PodWorker::CheckDeadline() {
  const json::Value& limit = pod()["spec"]["activeDeadlineSeconds"];
  if (!limit.IsNumber() || !started_at_ || !failure_reason_.empty() || IsDeleted()) return;
  const auto left = *started_at_ + std::chrono::seconds(limit.AsInt64().value_or(0)) - world_.clock.Now();
  if (left > WallTime::duration(0)) {
    ComeBackAt(Now() + left);
  } else {
    Fail("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
  }
}

}  // namespace allot::local
