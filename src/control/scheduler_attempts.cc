// How a Scheduler carries its decisions out: jobs for others, and what their outcomes mean for what is known.

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

std::vector<std::string> ClaimKeys(const sched::Request& request) {
  std::vector<std::string> keys;
  for (const sched::ClaimPtr& claim : request.claims) keys.push_back(claim->key);
  return keys;
}

}  // namespace

void Scheduler::HandOver(sched::Placed placed) {
  handed_over_[placed.request.pod->key] = placed.node;
  const std::string uid(placed.request.pod->pod.uid);
  Attempt& attempt = attempts_[uid];
  attempt = {std::make_shared<const sched::Placed>(std::move(placed))};
  Send(attempt);
}

void Scheduler::Send(const Attempt& attempt) {
  std::vector<std::string> claims = ClaimKeys(attempt.placed->request);
  for (const std::string& claim : claims) ++busy_claims_[claim];
  workers_->Add(std::move(claims), [this, attempt] { CarryOut(*attempt.placed, attempt.unsure, attempt.undo); });
}

// Whether the Pod will not be bound any more, as far as the informer knows.
bool Scheduler::IsGone(const sched::Pod& pod) const {
  const kube::ObjectPtr now = pods_.informer.snapshot()->Find(pod.pod.name_space, pod.pod.name);
  return now == nullptr || now->uid() != pod.pod.uid || !now->json()["metadata"]["deletionTimestamp"].IsNull();
}

Status Scheduler::Try(const sched::Placed& placed, bool again, bool undo) {
  const http::Patience patience{std::nullopt, &end_writes_};
  const bool gone = IsGone(*placed.request.pod);
  if (gone && !again) return NotFound("pod ", placed.request.pod->key, " is gone");
  return gone || undo ? binder_.Undo(placed, patience) : binder_.Bind(placed, again, patience);
}

void Scheduler::CarryOut(const sched::Placed& placed, bool again, bool undo) {
  const sched::Pod& pod = *placed.request.pod;
  const Status status = Try(placed, again, undo);
  intake_.Put(Outcome{Outcome::Job::kBind, pod.key, std::string(pod.pod.uid), ClaimKeys(placed.request), status});
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
    log_.Info("a Pod was gone before it could be bound", {{"pod", pod.key}, {"node", placed.node}, {"error", status.message()}});
  } else {
    log_.Warning("a Pod could not be bound, and is tried again", {{"pod", pod.key}, {"node", placed.node}, {"error", status.message()}});
    events_->Record(ReferenceTo(pod), kube::EventType::kWarning, "FailedScheduling",
                    StrCat("could not be bound to ", placed.node, ", and is tried again: ", status.message()));
  }
  const std::lock_guard lock(mutex_);
  ++counts_.failures;
}

void Scheduler::MakeClaim(const sched::Request& request) {
  const sched::PodPtr pod = request.pod;
  const kube::ObjectPtr object = pods_.informer.snapshot()->Find(pod->pod.name_space, pod->pod.name);
  if (object == nullptr || object->uid() != pod->pod.uid || !pod->placement.gates.empty()) return;
  const std::string key = sched::KeyOf(pod->pod.name_space, dialect::ExtendedClaimName(object->json()));
  if (busy_claims_.contains(key) || claim_pauses_.Has(pod->key, pod->pod.uid)) return;
  ++busy_claims_[key];
  workers_->Add({key}, [this, pod, object, key, classes = request.to_claim] {
    const dialect::ExtendedClaim made = dialect::ClaimForResources(object->json(), classes);
    const Status status = MakeExtendedClaim(client_, *object, made, {std::nullopt, &end_writes_});
    if (status.ok()) {
      log_.Info("made a claim for amounts of a resource", {{"pod", pod->key}, {"claim", key}});
    } else if (!IsGone(*pod)) {
      log_.Warning("a claim could not be made, and is tried again", {{"pod", pod->key}, {"claim", key}, {"error", status.message()}});
      events_->Record(ReferenceTo(*pod), kube::EventType::kWarning, "FailedScheduling",
                      StrCat("claim ", key, " could not be made, and is tried again: ", status.message()));
    }
    intake_.Put(Outcome{Outcome::Job::kClaim, pod->key, std::string(pod->pod.uid), {key}, status});
  });
}

// Whether the decision, of which something may be written, would still do.
bool Scheduler::StillFits(const sched::Placed& placed) {
  const sched::PodPtr pod = cluster_.FindPod(placed.request.pod->key);
  if (pod == nullptr || pod->ended || pod->pod.uid != placed.request.pod->pod.uid) return false;
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster_.Take();
  const sched::Node* const node = snapshot->Find(placed.node);
  return node != nullptr && sched::FitsOn(decider_, *snapshot, sched::NodeWithout(*node, {pod->key}), cluster_.RequestOf(pod)).has_value();
}

bool Scheduler::Settle(const Outcome& outcome) {
  bool matters = false;
  for (const std::string& claim : outcome.claims) {
    if (const auto at = busy_claims_.find(claim); --at->second == 0) busy_claims_.erase(at);
    matters = Learn(claim) || matters;
  }
  if (outcome.job == Outcome::Job::kClaim) {
    const sched::PodPtr waits = cluster_.FindPod(outcome.pod);
    if (outcome.status.ok()) {
      claim_pauses_.End(outcome.pod);
    } else if (waits != nullptr && waits->pod.uid == outcome.uid) {
      claim_pauses_.Begin(outcome.pod, outcome.uid, clock_.MonotonicNow());
    }
    return matters;
  }
  const auto attempt = attempts_.find(outcome.uid);
  if (!outcome.status.ok() && !IsRefused(outcome.status)) {
    // Perhaps it was written: until that is certain, the place stays the Pod's, though the Pod be gone.
    attempt->second.unsure = true;
    retries_.Begin(outcome.uid, outcome.uid, clock_.MonotonicNow());
    return matters;
  }
  const sched::PodPtr pod = attempt->second.placed->request.pod;
  attempts_.erase(attempt);
  retries_.End(outcome.uid);
  if (!outcome.status.ok()) return Drop(pod);
  cluster_.Written(*pod);
  const sched::PodPtr now = cluster_.FindPod(outcome.pod);
  if (now != nullptr && now->pod.uid == outcome.uid) pauses_.End(outcome.pod);
  return matters;
}

// The decision was refused: others may have the place; its place in the order the Pod keeps.
bool Scheduler::Drop(const sched::PodPtr& pod) {
  cluster_.Forget(*pod);
  const sched::PodPtr now = cluster_.FindPod(pod->key);
  if (now == nullptr || now->pod.uid != pod->pod.uid || !now->pod.node_name.empty()) return true;
  handed_over_.erase(pod->key);
  pauses_.Begin(pod->key, pod->pod.uid, clock_.MonotonicNow());
  cluster_.SetAside(pod->key);
  return true;
}

}  // namespace allot::control
