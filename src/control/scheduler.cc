#include "control/scheduler.h"

#include <algorithm>

#include "control/changes.h"
#include "control/server_features.h"
#include "json/editor.h"
#include "sched/reason_json.h"
#include "sched/words.h"

namespace allot::control {
namespace {

namespace types = kube::types;

constexpr std::chrono::seconds kSlowSync{10};  // after which the log has a warning
// An upgraded API server may have other features. A server that did not answer is asked again sooner.
constexpr std::chrono::minutes kFeaturesAreKnown{5};
constexpr std::chrono::seconds kFeaturesAreUnknown{30}, kFeaturesPatience{10};
// Longer than any write without an answer and any watch without an event: until then, only this cache knows what was written.
constexpr std::chrono::hours kWrittenIsKnown{24};

// Whether both versions are the same to decisions. Labels, finalizers and the devices' status do not matter.
bool IsAlike(const sched::Claim& before, const sched::Claim& after) {
  const auto &held = before.claim.allocation, &holds = after.claim.allocation;
  return before.claim.uid == after.claim.uid && before.deleting == after.deleting && before.owner == after.owner &&
         before.shape == after.shape && before.claim.reserved_for == after.claim.reserved_for && held.has_value() == holds.has_value() &&
         (!held || model::SameDevices(*held, *holds));
}

// Whether the claim holds the same devices, and no Pod stopped using them.
bool HoldsTheSame(const sched::Claim& before, const sched::Claim& after) {
  if (before.deleting != after.deleting || !before.claim.allocation || !after.claim.allocation) return false;
  if (!model::SameDevices(*before.claim.allocation, *after.claim.allocation)) return false;
  const auto& users = after.claim.reserved_for;
  return std::all_of(before.claim.reserved_for.begin(), before.claim.reserved_for.end(),
                     [&](std::string_view user) { return std::find(users.begin(), users.end(), user) != users.end(); });
}

const kube::ResourceType& TypeOf(What what) {
  switch (what) {
    case What::kPod: return types::kPods;
    case What::kNode: return types::kNodes;
    case What::kNamespace: return types::kNamespaces;
    case What::kClaim: return types::kResourceClaims;
    case What::kSlice: return types::kResourceSlices;
    case What::kClass: break;
  }
  return types::kDeviceClasses;
}

News NewsOf(const sched::Waiting& one, const Result<std::string>& summary) {
  const sched::Pod& pod = *one.pod;
  News news{std::string(pod.pod.name_space), std::string(pod.pod.name), std::string(pod.pod.uid), "Unschedulable", one.error};
  if (!one.error.empty()) {
    news.reason = "SchedulerError";  // as kube-scheduler says it: no Pod that ends would help
    return news;
  }
  if (!summary.ok()) {
    news.message = summary.status().message();
    return news;
  }
  const bool blocked = one.decision.outcome == sched::Decision::Outcome::kBlocked;
  news.never = one.never && !blocked;
  news.message = news.never ? sched::NeverWords(*summary) : *summary;
  if (!pod.placement.gates.empty()) {
    news.reason = "SchedulingGated";
    news.event = false;
  } else {
    if (blocked) news.reason = sched::NameOf(one.decision.obstacle.kind);
    news.passing = blocked;  // another component makes the claims, as a rule at once
  }
  return news;
}

}  // namespace

Scheduler::Scheduler(SchedulerOptions options, kube::Client& client, const Clock& clock, Random& random, Log& log)
    : options_(std::move(options)),
      client_(client),
      clock_(clock),
      log_(log),
      pods_(intake_, What::kPod, PodChanged, client, types::kPods, random),
      nodes_(intake_, What::kNode, NodeChanged, client, types::kNodes, random),
      namespaces_(intake_, What::kNamespace, nullptr, client, types::kNamespaces, random),
      // Every change: Learn may be ahead of the informer, so the informer cannot tell which changes matter.
      claims_(intake_, What::kClaim, nullptr, client, types::kResourceClaims, random),
      slices_(intake_, What::kSlice, nullptr, client, types::kResourceSlices, random),
      classes_(intake_, What::kClass, nullptr, client, types::kDeviceClasses, random),
      feeds_({&pods_, &nodes_, &namespaces_, &claims_, &slices_, &classes_}),
      known_claims_([this] { return claims_.informer.snapshot(); }, clock, kWrittenIsKnown),
      binder_(client, known_claims_, clock),
      share_ids_(random.Next64()),
      decider_(selectors_, share_ids_),
      queue_(decider_, {options_.strategy, options_.names, false}),
      attempts_(options_.pauses) {}

void Scheduler::Start() {
  kube::EventOptions events;
  events.component = options_.component;
  events_ = std::make_unique<kube::EventRecorder>(client_, events, clock_);
  const auto find = [this](const std::string& name_space, const std::string& name) {
    return pods_.informer.snapshot()->Find(name_space, name);
  };
  news_ = std::make_unique<WaitingNews>(options_.news, client_, *events_, find, clock_);
  workers_ = std::make_unique<Workers>(options_.binders);
  for (Feed* feed : feeds_) feed->informer.Start();
  thread_ = std::thread([this] { Run(); });
}

void Scheduler::Stop() {
  stop_.Request();
  intake_.Stop();
  if (thread_.joinable()) thread_.join();
  if (workers_ != nullptr && !workers_->Finish(options_.grace)) end_writes_.Request();
  workers_.reset();
  news_.reset();
  if (events_ != nullptr) events_->Flush({std::chrono::steady_clock::now() + options_.grace, nullptr});
  events_.reset();
  for (Feed* feed : feeds_) feed->informer.Stop();
}

Status Scheduler::AwaitSync(const Patience& patience) const {
  for (const Feed* feed : feeds_) TRY(feed->informer.AwaitSync(patience));
  std::unique_lock lock(mutex_);
  while (!synced_) {
    const MonotonicTime now = std::chrono::steady_clock::now();
    if (stop_.requested() || (patience.cancel != nullptr && patience.cancel->requested())) return Unavailable("cancelled");
    if (patience.deadline && now >= *patience.deadline) return Unavailable("the first decisions take longer");
    const MonotonicTime soon = now + std::chrono::milliseconds(100);  // a Cancel does not wake a condition variable
    changed_.wait_until(lock, patience.deadline ? std::min(*patience.deadline, soon) : soon);
  }
  return Status();
}

Status Scheduler::status() const {
  for (const Feed* feed : feeds_) TRY(feed->informer.status());
  return Status();
}

Scheduler::Counts Scheduler::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

bool Scheduler::AwaitFeeds() {
  for (Feed* feed : feeds_) {
    for (;;) {
      const Status status = feed->informer.AwaitSync({std::chrono::steady_clock::now() + kSlowSync, &stop_});
      if (stop_.requested()) return false;
      if (status.ok()) break;
      log_.Warning("waiting for the API server before the first decision", {{"error", status.message()}});
    }
  }
  return true;
}

std::optional<std::chrono::nanoseconds> Scheduler::TimeToWait() const {
  std::optional<MonotonicTime> next = attempts_.next();
  if (next_features_ && (!next || *next_features_ < *next)) next = next_features_;
  if (!next) return std::nullopt;
  return std::max(std::chrono::nanoseconds(0), *next - clock_.MonotonicNow());
}

void Scheduler::AskForFeatures() {
  if (!next_features_ || *next_features_ > clock_.MonotonicNow()) return;
  next_features_.reset();
  workers_->Add({}, [this] { intake_.Put(AskFeatures(client_, {std::chrono::steady_clock::now() + kFeaturesPatience, &end_writes_})); });
}

bool Scheduler::TakeFeatures(const Result<alloc::Features>& answer) {
  next_features_ = clock_.MonotonicNow() + (answer.ok() ? std::chrono::seconds(kFeaturesAreKnown) : kFeaturesAreUnknown);
  if (!answer.ok()) {
    log_.Warning("the API server's features are not known", {{"error", answer.status().message()}});
    return false;
  }
  return cluster_.SetFeatures(*answer);
}

void Scheduler::Run() {
  if (!AwaitFeeds()) return;
  TakeFeatures(AskFeatures(client_, {std::chrono::steady_clock::now() + kFeaturesPatience, &stop_}));
  for (bool first = true;; first = false) {
    const Intake::Batch batch = intake_.Take(first ? std::chrono::nanoseconds(0) : TimeToWait());
    if (batch.stopped) return;
    bool matters = first;
    for (const Change& change : batch.changes) matters = Follow(change) || matters;
    for (const Outcome& outcome : batch.outcomes) matters = Settle(outcome) || matters;
    if (batch.features) matters = TakeFeatures(*batch.features) || matters;
    AskForFeatures();
    matters = EndPauses() || matters;
    if (matters) Decide();
    if (!first) continue;
    const std::lock_guard lock(mutex_);
    synced_ = true;
    changed_.notify_all();
  }
}

bool Scheduler::Follow(const Change& change) {
  if (change.what == What::kPod) return FollowPod(change);
  if (change.what == What::kClaim) return FollowClaim(change);
  if (change.removed) {
    Remove(change);
    return true;
  }
  return Put(change).ok();
}

Status Scheduler::Put(const Change& change) {
  Status status;
  switch (change.what) {
    case What::kPod: status = cluster_.PutPod(change.object); break;
    case What::kNode: status = cluster_.PutNode(change.object); break;
    case What::kNamespace: status = cluster_.PutNamespace(change.object); break;
    case What::kClaim: status = cluster_.PutClaim(change.object); break;
    case What::kSlice: status = cluster_.PutSlice(change.object); break;
    case What::kClass: status = cluster_.PutClass(change.object); break;
  }
  if (!status.ok()) {
    log_.Warning(StrCat("skipping unreadable ", TypeOf(change.what).kind, " ", kube::KeyOf(*change.object), ": ", status.message()));
  }
  return status;
}

void Scheduler::Remove(const Change& change) {
  const std::string_view name_space = change.object->namespace_name(), name = change.object->name();
  switch (change.what) {
    case What::kPod: return cluster_.RemovePod(name_space, name);
    case What::kNode: return cluster_.RemoveNode(name);
    case What::kNamespace: return cluster_.RemoveNamespace(name);
    case What::kClaim: return cluster_.RemoveClaim(name_space, name);
    case What::kSlice: return cluster_.RemoveSlice(name);
    case What::kClass: return cluster_.RemoveClass(name);
  }
}

bool Scheduler::FollowPod(const Change& change) {
  const std::string key = kube::KeyOf(*change.object);
  const std::string_view node = json::TextOf(change.object->json()["spec"]["nodeName"]);
  Attempt* const attempt = attempts_.Find(change.object->uid());
  if (!change.removed && node.empty()) {
    if (!Put(change).ok()) return false;
    return attempt == nullptr || (!attempt->refused.running() && !attempt->retry.running());  // a Pod that pauses is not decided
  }
  const bool expected = attempt != nullptr && !change.removed && attempt->node == node;
  if (attempt != nullptr) attempts_.Close(*attempt);
  if (change.removed) {
    Remove(change);
    return true;
  }
  if (!Put(change).ok()) return false;
  // One event may show both the binding and the end of the Pod, which then frees its devices.
  const sched::PodPtr pod = cluster_.FindPod(key);
  return !expected || pod->ended || pod->deleting;
}

bool Scheduler::FollowClaim(const Change& change) {
  if (change.removed) {
    Remove(change);
    return true;
  }
  return TakeIn(change.object);
}

bool Scheduler::TakeIn(const kube::ObjectPtr& claim) {
  const std::string key = kube::KeyOf(*claim);
  const sched::ClaimPtr stored = cluster_.FindStored(key), before = cluster_.FindClaim(key);
  const bool known = stored != nullptr && stored->claim.uid == claim->uid() && stored->version != 0;
  if (known && kube::VersionNumber(*claim).value_or(stored->version + 1) <= stored->version) return false;
  if (!Put({What::kClaim, false, claim}).ok()) return false;
  const sched::ClaimPtr after = cluster_.FindClaim(key);
  if (stored != nullptr && IsAlike(*stored, *cluster_.FindStored(key))) return false;
  // Where the cluster still assumes another allocation, this version may be one that a job took back.
  return before == nullptr || after->document != claim || !HoldsTheSame(*before, *after);
}

bool Scheduler::Learn(const std::string& claim_key) {
  const size_t slash = claim_key.find('/');
  const kube::ObjectPtr newest = known_claims_.Get(claim_key.substr(0, slash), claim_key.substr(slash + 1));
  const sched::ClaimPtr stored = cluster_.FindStored(claim_key);
  // The informer reports claims that are deleted or replaced.
  return newest != nullptr && stored != nullptr && stored->claim.uid == newest->uid() && TakeIn(newest);
}

bool Scheduler::EndPauses() {
  const MonotonicTime now = clock_.MonotonicNow();
  bool any = false;
  for (Attempt* const attempt : attempts_.TakeDue(now)) {
    any = attempt->claim.EndIfOver(now) || any;
    if (attempt->refused.EndIfOver(now)) {
      cluster_.TakeBack(attempt->pod);
      any = true;
    }
    if (attempt->retry.EndIfOver(now)) {
      attempt->undo = attempt->undo || !StillFits(*attempt->placed);
      Send(*attempt);
    }
  }
  return any;
}

void Scheduler::Decide() {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.runs;
  }
  uint64_t placed = 0, overtakes = 0;
  queue_.Run(cluster_, [&](sched::Placed one) {
    ++placed;
    overtakes += one.overtaken > 0 ? 1 : 0;
    HandOver(std::move(one));
  });
  std::vector<Waiter> waiters;
  for (const sched::Waiting* one : queue_.waiting()) waiters.push_back({one, cluster_.WithClaims(one->pod)});
  PrepareClaims(waiters);
  TellWaitingPods(waiters);
  const std::lock_guard lock(mutex_);
  counts_.waiting = waiters.size();
  counts_.decisions += placed + counts_.waiting;
  counts_.placed += placed;
  counts_.overtakes += overtakes;
}

void Scheduler::PrepareClaims(const std::vector<Waiter>& waiters) {
  for (const auto& [one, asking] : waiters) {
    if (one->error.empty() && one->decision.outcome == sched::Decision::Outcome::kWaits) FreeClaimsInTheWay(*one, asking);
    if (!asking.to_claim.empty()) MakeClaim(asking);
  }
}

void Scheduler::TellWaitingPods(const std::vector<Waiter>& waiters) {
  std::vector<News> all;
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster_.Take();
  for (const auto& [one, asking] : waiters) {
    all.push_back(NewsOf(*one, one->error.empty() ? WhyWaits(*snapshot, asking, *one) : std::string()));
  }
  news_->Set(std::move(all));
}

Result<std::string> Scheduler::WhyWaits(const sched::Snapshot& snapshot, const sched::PodWithClaims& asking, const sched::Waiting& one) {
  const sched::Decision& decision = one.decision;
  if (decision.outcome != sched::Decision::Outcome::kWaits) return sched::Summary(decision);
  if (one.never) return WhyNever(snapshot, asking, one);
  ASSIGN_OR_RETURN(const auto reasons, decider_.SharedReasonsOf(snapshot, asking, decision, options_.strategy));
  return sched::Summary(reasons);
}

Result<std::string> Scheduler::WhyNever(const sched::Snapshot& snapshot, const sched::PodWithClaims& asking, const sched::Waiting& one) {
  constexpr size_t kMaxShapes = 256;
  const bool same_nodes = snapshot.hardware != 0 && std::exchange(why_never_of_, snapshot.hardware) == snapshot.hardware;
  if (!same_nodes || why_never_.size() >= kMaxShapes) why_never_.clear();
  if (const auto known = why_never_.find(one.asked); known != why_never_.end()) return known->second;
  ASSIGN_OR_RETURN(const std::vector<sched::NodeReason> reasons, decider_.WhyNever(snapshot, asking));
  std::vector<const sched::NodeReason*> pointers;
  for (const sched::NodeReason& reason : reasons) pointers.push_back(&reason);
  return why_never_[one.asked] = sched::Summary(pointers);
}

// Whether some node could take the Pod with its claims as they are, once other Pods have ended.
bool Scheduler::HelpsToWait(const sched::PodWithClaims& asking) {
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster_.Take();
  return std::any_of(snapshot->nodes.begin(), snapshot->nodes.end(), [&](const sched::NodePtr& node) {
    const Result<bool> fits = decider_.FitsWhenEmpty(*snapshot, *node, asking);
    return fits.ok() && *fits;
  });
}

// A scheduler that was killed may have left an allocation for this Pod alone that ties it to a node where it no longer fits.
void Scheduler::FreeClaimsInTheWay(const sched::Waiting& one, const sched::PodWithClaims& asking) {
  const bool any = std::any_of(asking.claims.begin(), asking.claims.end(), [](const auto& c) { return c->claim.allocation.has_value(); });
  const Attempt* const attempt = attempts_.Find(one.pod->pod.uid);
  if (!any || (attempt != nullptr && attempt->claim.running()) || HelpsToWait(asking)) return;
  for (const sched::ClaimPtr& claim : asking.claims) {
    if (!claim->claim.allocation || attempts_.IsBusy(claim->key)) continue;
    const auto& users = claim->claim.reserved_for;
    if (std::any_of(users.begin(), users.end(), [&](std::string_view user) { return user != one.pod->pod.name; })) continue;
    attempts_.BeginJob(attempts_.Of(*one.pod), {claim->key});
    workers_->Add({claim->key}, [this, pod = one.pod, claim] {
      const ClaimName name{std::string(claim->claim.name_space), std::string(claim->claim.name), std::string(claim->claim.uid)};
      const Status status = binder_.Free(*pod, name, {std::nullopt, &end_writes_});
      if (status.ok()) {
        log_.Info("took back an allocation on a node where the Pod no longer fits", {{"pod", pod->key}, {"claim", claim->key}});
      } else {
        log_.Warning("could not take back an allocation on a node where the Pod no longer fits",
                     {{"pod", pod->key}, {"claim", claim->key}, {"error", status.message()}});
      }
      intake_.Put(Outcome{Outcome::Job::kClaim, pod->key, std::string(pod->pod.uid), {claim->key}, status});
    });
  }
}

}  // namespace allot::control
