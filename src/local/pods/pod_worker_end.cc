// PodWorker: stops containers, releases claims, deletes the Pod.

#include <algorithm>

#include "json/editor.h"
#include "kube/timestamp.h"
#include "local/pods/pod_worker.h"

namespace allot::local {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr seconds kDeleteAgain{10};

}  // namespace

// The API no longer has the Pod: stop and remove everything, without writing a status.
Result<PodWorker::Next> PodWorker::SyncGone() {
  SetDeadline(std::min(stop_deadline_ ? std::chrono::ceil<milliseconds>(*stop_deadline_ - Now()) : world_.limits.gone_grace,
                       world_.limits.gone_grace));
  TRY(StopAll());
  if (AnyRuns()) return Next{false, come_back_ ? std::optional(std::chrono::ceil<milliseconds>(*come_back_ - Now())) : std::nullopt};
  TRY(Release());
  TRY(folder_.Remove());
  return Next{true, std::nullopt};
}

void PodWorker::SetDeadline(milliseconds grace) {
  const MonotonicTime deadline = Now() + std::max(grace, milliseconds(0));
  stop_deadline_ = stop_deadline_ ? std::min(*stop_deadline_, deadline) : deadline;
}

// deletionTimestamp is when the grace period ends, so it also counts the time while `allot up` did not run.
void PodWorker::DeadlineOfDeletion() {
  const json::Value& metadata = pod()["metadata"];
  const json::Value& grace = metadata["deletionGracePeriodSeconds"];
  const int64_t given = grace.IsNumber() ? grace.AsInt64().value_or(0) : 0;
  if (deletion_grace_ && *deletion_grace_ <= given) return;
  deletion_grace_ = given;
  const WallTime now = world_.clock.Now();
  const WallTime until = kube::ParseTime(json::TextOf(metadata["deletionTimestamp"])).value_or(now);
  // deletionTimestamp is rounded down to seconds: add one.
  const auto left = std::chrono::duration_cast<milliseconds>(until - now) + (given > 0 ? seconds(1) : seconds(0));
  SetDeadline(std::clamp<milliseconds>(left, milliseconds(0), seconds(given)));
}

// Stops containers first, then sidecars in reverse order. Kills all that still run at the deadline.
Status PodWorker::StopAll() {
  if (!AnyRuns()) return Status();
  if (!gone_ && IsDeleted()) DeadlineOfDeletion();
  if (!stop_deadline_) {
    const json::Value& grace = pod()["spec"]["terminationGracePeriodSeconds"];
    SetDeadline(seconds(grace.IsNumber() ? grace.AsInt64().value_or(30) : 30));
  }
  if (Now() >= *stop_deadline_) {
    for (Member& member : members_) {
      if (member.view.running()) TRY(world_.containers.Signal(folder_.RunPath(member.view.name, member.view.current->attempt), SIGKILL));
    }
    ComeBackAt(Now() + milliseconds(1000));  // in case a process does not die at once
    return Status();
  }
  ComeBackAt(*stop_deadline_);
  bool others = false;
  for (Member& member : members_) {
    if (member.view.sidecar || !member.view.running()) continue;
    others = true;
    TRY(AskToEnd(member));
  }
  if (others) return Status();
  const auto last = std::find_if(members_.rbegin(), members_.rend(), [](const Member& member) { return member.view.running(); });
  return last == members_.rend() ? Status() : AskToEnd(*last);
}

Status PodWorker::AskToEnd(Member& member) {
  if (member.asked) return Status();
  const int signal = api_ == nullptr ? SIGTERM : StopSignalOf(SpecOf(member));
  TRY(world_.containers.Signal(folder_.RunPath(member.view.name, member.view.current->attempt), signal));
  member.asked = true;
  if (!gone_) Tell(kube::EventType::kNormal, "Killing", StrCat("Stopping container ", member.view.name));
  return Status();
}

Status PodWorker::Release() {
  // A Pod without claims can wait until it is deleted: `podman run --rm` has removed its containers already, unless it was killed.
  if (world_.podman != nullptr && !forgotten_ && (!record_.claims.empty() || gone_ || IsDeleted())) {
    TRY(world_.podman->Forget(record_.uid, folder_.Containers(), CallTime()));
    forgotten_ = true;
  }
  while (!record_.claims.empty()) {
    TRY(world_.claims.Release(record_.claims.back(), record_.uid, CallTime()));
    record_.claims.pop_back();
    if (record_.claims.empty() && !gone_) TRY(folder_.Write(record_));
  }
  return Status();
}

Status PodWorker::DeleteFromApi() {
  if (delete_again_ && Now() < *delete_again_) {
    ComeBackAt(*delete_again_);
    return Status();
  }
  kube::DeleteOptions options;
  options.uid = record_.uid;
  options.grace_seconds = 0;
  const Result<kube::ObjectPtr> answer = world_.client.Delete(kube::types::kPods, record_.name_space, record_.name, options, CallTime());
  const Code code = answer.ok() ? Code::kOk : answer.status().code();
  if (code != Code::kOk && code != Code::kNotFound && code != Code::kConflict) return answer.status();
  // A finalizer may keep the Pod.
  delete_again_ = Now() + kDeleteAgain;
  ComeBackAt(*delete_again_);
  return Status();
}

}  // namespace allot::local
