// How a Scheduler carries its decisions out: jobs for the workers, and what their outcomes mean for the cluster.

#include "control/extended_claim.h"
#include "control/scheduler.h"
#include "json/editor.h"

namespace allot::control {
namespace {

namespace types = kube::types;

kube::ObjectReference ReferenceTo(const sched::Pod& pod) {
  return {types::kPods.ApiVersion(), types::kPods.kind,        std::string(pod.pod.name_space),
          std::string(pod.pod.name), std::string(pod.pod.uid), ""};
}

std::vector<std::string> ClaimKeys(const sched::PodWithClaims& asking) {
  std::vector<std::string> keys;
  for (const sched::ClaimPtr& claim : asking.claims) keys.push_back(claim->key);
  return keys;
}

}  // namespace

void Scheduler::HandOver(sched::Placed placed) {
  Attempt& attempt = attempts_.Of(*placed.asking.pod);
  attempt.node = placed.node;
  attempt.unsure = attempt.undo = false;
  attempt.placed = std::make_shared<const sched::Placed>(std::move(placed));
  Send(attempt);
}

void Scheduler::Send(Attempt& attempt) {
  std::vector<std::string> claims = ClaimKeys(attempt.placed->asking);
  attempts_.BeginJob(attempt, claims);
  workers_->Add(std::move(claims),
                [this, placed = attempt.placed, again = attempt.unsure, undo = attempt.undo] { CarryOut(*placed, again, undo); });
}

// Whether the Pod cannot be bound any more, as far as the informer knows.
bool Scheduler::IsGone(const sched::Pod& pod) const {
  const kube::ObjectPtr now = pods_.informer.snapshot()->Find(pod.pod.name_space, pod.pod.name);
  return now == nullptr || now->uid() != pod.pod.uid || !now->json()["metadata"]["deletionTimestamp"].IsNull();
}

Status Scheduler::Try(const sched::Placed& placed, bool again, bool undo) {
  const Patience patience{std::nullopt, &end_writes_};
  const bool gone = IsGone(*placed.asking.pod);
  if (gone && !again) return NotFound("pod ", placed.asking.pod->key, " is gone");
  return gone || undo ? binder_.Undo(placed, patience) : binder_.Bind(placed, again, patience);
}

void Scheduler::CarryOut(const sched::Placed& placed, bool again, bool undo) {
  const sched::Pod& pod = *placed.asking.pod;
  const Status status = Try(placed, again, undo);
  intake_.Put(Outcome{Outcome::Job::kBind, pod.key, std::string(pod.pod.uid), ClaimKeys(placed.asking), status});
  if (status.ok()) {
    const std::string devices = DevicesOf(placed);
    events_->Record(ReferenceTo(pod), kube::EventType::kNormal, "Scheduled",
                    StrCat("Successfully assigned ", pod.key, " to ", placed.node, devices.empty() ? "" : ": ", devices));
    log_.Info("bound", {{"pod", pod.key}, {"node", placed.node}, {"devices", devices}});
    const std::lock_guard lock(mutex_);
    ++counts_.bound;
    return;
  }
  if (IsGone(pod)) {
    log_.Info("the Pod was deleted before it could be bound", {{"pod", pod.key}, {"node", placed.node}, {"error", status.message()}});
  } else {
    log_.Warning("could not bind a Pod; trying again later", {{"pod", pod.key}, {"node", placed.node}, {"error", status.message()}});
    events_->Record(ReferenceTo(pod), kube::EventType::kWarning, "FailedScheduling",
                    StrCat("could not be bound to ", placed.node, ", and is tried again: ", status.message()));
  }
  const std::lock_guard lock(mutex_);
  ++counts_.failures;
}

void Scheduler::MakeClaim(const sched::PodWithClaims& asking) {
  const sched::PodPtr pod = asking.pod;
  const kube::ObjectPtr object = pods_.informer.snapshot()->Find(pod->pod.name_space, pod->pod.name);
  if (object == nullptr || object->uid() != pod->pod.uid || !pod->placement.gates.empty()) return;
  const std::string key = sched::KeyOf(pod->pod.name_space, dialect::ExtendedClaimName(object->json()));
  if (attempts_.IsBusy(key)) return attempts_.DecideAgainAfter(key);  // the job may have begun with other classes
  Attempt& attempt = attempts_.Of(*pod);
  if (attempt.claim.running()) return;
  attempts_.BeginJob(attempt, {key});
  workers_->Add({key}, [this, pod, object, key, classes = asking.to_claim] {
    const dialect::ExtendedClaim made = dialect::ClaimForResources(object->json(), classes);
    const Status status = MakeExtendedClaim(client_, *object, made, {std::nullopt, &end_writes_});
    if (status.ok()) {
      log_.Info("made a claim for amounts of a resource", {{"pod", pod->key}, {"claim", key}});
    } else if (!IsGone(*pod)) {
      log_.Warning("could not make a claim; trying again later", {{"pod", pod->key}, {"claim", key}, {"error", status.message()}});
      events_->Record(ReferenceTo(*pod), kube::EventType::kWarning, "FailedScheduling",
                      StrCat("claim ", key, " could not be made, and is tried again: ", status.message()));
    }
    intake_.Put(Outcome{Outcome::Job::kClaim, pod->key, std::string(pod->pod.uid), {key}, status});
  });
}

// Whether the Pod still fits where an unsure placement has it.
bool Scheduler::StillFits(const sched::Placed& placed) {
  const sched::PodPtr pod = cluster_.FindPod(placed.asking.pod->key);
  if (pod == nullptr || pod->ended || pod->pod.uid != placed.asking.pod->pod.uid) return false;
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster_.Take();
  const sched::Node* const node = snapshot->Find(placed.node);
  return node != nullptr && sched::FitsOn(decider_, *snapshot, sched::NodeWithout(*node, {pod->key}), cluster_.WithClaims(pod)).has_value();
}

bool Scheduler::Settle(const Outcome& outcome) {
  Attempt& attempt = *attempts_.Find(outcome.uid);  // which stays as long as it has jobs
  bool matters = attempts_.EndJob(attempt, outcome.claims);
  for (const std::string& claim : outcome.claims) matters = Learn(claim) || matters;
  if (outcome.job == Outcome::Job::kClaim) {
    if (outcome.status.ok()) {
      attempt.claim.Reset();
    } else if (!attempt.over) {
      attempts_.Begin(attempt, attempt.claim, clock_.MonotonicNow());
    }
    attempts_.EraseIfDone(attempt);
    return matters;
  }
  if (!outcome.status.ok() && !IsRefused(outcome.status)) {
    // The write may have arrived. The placement counts until that is certain, even if the Pod is gone.
    attempt.unsure = true;
    attempts_.Begin(attempt, attempt.retry, clock_.MonotonicNow());
    return matters;
  }
  const std::shared_ptr<const sched::Placed> placed = std::move(attempt.placed);
  attempt.placed = nullptr;
  attempt.retry.Reset();
  if (outcome.status.ok()) {
    cluster_.Written(*placed->asking.pod);
    attempt.refused.Reset();
  } else {
    matters = Drop(attempt, *placed->asking.pod) || matters;
  }
  attempts_.EraseIfDone(attempt);
  return matters;
}

// The placement was refused: other Pods may take its devices. The Pod keeps its place in the order, and is decided again after a pause.
bool Scheduler::Drop(Attempt& attempt, const sched::Pod& pod) {
  cluster_.Forget(pod);
  if (attempt.over) return true;
  attempt.node.clear();
  attempts_.Begin(attempt, attempt.refused, clock_.MonotonicNow());
  cluster_.SetAside(pod.key);
  return true;
}

}  // namespace allot::control
