#include "control/scheduler.h"

#include <algorithm>

#include "control/changes.h"
#include "json/editor.h"

namespace allot::control {
namespace {

namespace types = kube::types;

constexpr std::chrono::seconds kSlowSync{10};  // then the log hears of it
// As long as a write may be without an answer, and a watch without news: what was written counts by nothing else.
constexpr std::chrono::hours kWrittenIsKnown{24};

// Whether a write changed nothing that decisions go by: a label, a finalizer, what a driver says of its devices.
bool IsAlike(const sched::Claim& before, const sched::Claim& after) {
  const auto &held = before.claim.allocation, &holds = after.claim.allocation;
  return before.claim.uid == after.claim.uid && before.deleting == after.deleting && before.owner == after.owner &&
         before.shape == after.shape && before.claim.reserved_for == after.claim.reserved_for && held.has_value() == holds.has_value() &&
         (!held || model::SameDevices(*held, *holds));
}

// Whether what is held, and who is known to use it, is as it was.
bool HoldsTheSame(const sched::Claim& before, const sched::Claim& after) {
  if (before.deleting != after.deleting || !before.claim.allocation || !after.claim.allocation) return false;
  if (!model::SameDevices(*before.claim.allocation, *after.claim.allocation)) return false;
  const auto& users = after.claim.reserved_for;
  return std::all_of(before.claim.reserved_for.begin(), before.claim.reserved_for.end(),
                     [&](std::string_view user) { return std::find(users.begin(), users.end(), user) != users.end(); });
}

News NewsOf(const sched::Waiting& one, const Result<std::string>& summary) {
  const sched::Pod& pod = *one.pod;
  News news{std::string(pod.pod.name_space), std::string(pod.pod.name), std::string(pod.pod.uid), "Unschedulable", one.error};
  if (!one.error.empty()) return news;
  if (!summary.ok()) {
    news.message = summary.status().message();
    return news;
  }
  const bool held = one.decision.outcome == sched::Decision::Outcome::kHeld;
  news.message = StrCat(one.never && !held ? "can never start here: " : "", *summary);
  if (!pod.placement.gates.empty()) {
    news.reason = "SchedulingGated";
    news.event = false;
  } else {
    news.passing = held;  // claims are made at once, by whoever makes them
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
      // All changes: by Learn, more may be known than the informer, so that what is news to it is none here, and the other way round.
      claims_(intake_, What::kClaim, nullptr, client, types::kResourceClaims, random),
      slices_(intake_, What::kSlice, nullptr, client, types::kResourceSlices, random),
      classes_(intake_, What::kClass, nullptr, client, types::kDeviceClasses, random),
      feeds_({&pods_, &nodes_, &namespaces_, &claims_, &slices_, &classes_}),
      known_claims_([this] { return claims_.informer.snapshot(); }, clock, kWrittenIsKnown),
      binder_(client, known_claims_, clock),
      share_ids_(random.Next64()),
      decider_(selectors_, share_ids_),
      queue_(decider_, {options_.strategy, options_.names, false}),
      pauses_(options_.pauses),
      claim_pauses_(options_.pauses),
      retries_(options_.pauses) {}

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

Status Scheduler::AwaitSync(const http::Patience& patience) const {
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
      log_.Warning("nothing is decided before the API can be followed", {{"error", status.message()}});
    }
  }
  return true;
}

std::optional<std::chrono::nanoseconds> Scheduler::TimeToWait() const {
  std::optional<MonotonicTime> next = pauses_.next();
  for (const std::optional<MonotonicTime>& other : {retries_.next(), claim_pauses_.next()}) {
    if (other && (!next || *other < *next)) next = other;
  }
  if (!next) return std::nullopt;
  return std::max(std::chrono::nanoseconds(0), *next - clock_.MonotonicNow());
}

void Scheduler::Run() {
  if (!AwaitFeeds()) return;
  for (bool first = true;; first = false) {
    const Intake::Batch batch = intake_.Take(first ? std::chrono::nanoseconds(0) : TimeToWait());
    if (batch.stopped) return;
    bool matters = first;
    for (const Change& change : batch.changes) matters = Follow(change) || matters;
    for (const Outcome& outcome : batch.outcomes) matters = Settle(outcome) || matters;
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
  const json::Value& json = change.object->json();
  Status status;
  switch (change.what) {
    case What::kPod: status = cluster_.PutPod(json, change.object); break;
    case What::kNode: status = cluster_.PutNode(json, change.object); break;
    case What::kNamespace: status = cluster_.PutNamespace(json, change.object); break;
    case What::kClaim: status = cluster_.PutClaim(json, change.object); break;
    case What::kSlice: status = cluster_.PutSlice(json, change.object); break;
    case What::kClass: status = cluster_.PutClass(json, change.object); break;
  }
  if (!status.ok()) {
    log_.Warning("an object cannot be read, and is passed over", {{"name", kube::KeyOf(*change.object)}, {"error", status.message()}});
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
  if (!change.removed && node.empty()) {
    if (!Put(change).ok()) return false;
    const std::string_view uid = cluster_.FindPod(key)->pod.uid;
    return !pauses_.Has(key, uid) && !retries_.Has(uid, uid);  // one that pauses is set aside, or has its place still
  }
  pauses_.End(key);
  claim_pauses_.End(key);
  const auto placed = handed_over_.find(key);
  const bool expected = placed != handed_over_.end() && !change.removed && placed->second == node;
  if (placed != handed_over_.end()) handed_over_.erase(placed);
  if (change.removed) {
    Remove(change);
    return true;
  }
  if (!Put(change).ok()) return false;
  // Where that it was bound and that it ended are one piece of news, it leaves something to others.
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
  // Where something else is assumed still, this is about what was written for another Pod: it may have been taken back.
  return before == nullptr || after->kept != claim || !HoldsTheSame(*before, *after);
}

// What jobs were told of the claim, which the informer may hear of later.
bool Scheduler::Learn(const std::string& claim_key) {
  const size_t slash = claim_key.find('/');
  const kube::ObjectPtr newest = known_claims_.Get(claim_key.substr(0, slash), claim_key.substr(slash + 1));
  const sched::ClaimPtr stored = cluster_.FindStored(claim_key);
  // That one is gone, or is another one, comes by the informer in its turn.
  return newest != nullptr && stored != nullptr && stored->claim.uid == newest->uid() && TakeIn(newest);
}

bool Scheduler::EndPauses() {
  const MonotonicTime now = clock_.MonotonicNow();
  bool any = !claim_pauses_.Take(now).empty();
  for (const Pauses::Over& over : pauses_.Take(now)) {
    const sched::PodPtr pod = cluster_.FindPod(over.pod);
    if (pod == nullptr || pod->pod.uid != over.uid) continue;
    cluster_.TakeBack(over.pod);
    any = true;
  }
  for (const Pauses::Over& over : retries_.Take(now)) {
    Attempt& attempt = attempts_.find(over.uid)->second;
    attempt.undo = attempt.undo || !StillFits(*attempt.placed);
    Send(attempt);
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
  TellThoseWhoWait();
  const std::lock_guard lock(mutex_);
  counts_.waiting = queue_.waiting().size();
  counts_.decisions += placed + counts_.waiting;
  counts_.placed += placed;
  counts_.overtakes += overtakes;
}

void Scheduler::TellThoseWhoWait() {
  std::vector<News> all;
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster_.Take();
  for (const sched::Waiting* one : queue_.waiting()) {
    const sched::Request request = cluster_.RequestOf(one->pod);
    const bool decided = one->error.empty();
    all.push_back(NewsOf(*one, decided ? decider_.WhyWaits(*snapshot, request, one->decision, options_.strategy) : std::string()));
    if (decided && one->decision.outcome == sched::Decision::Outcome::kWaits) FreeClaimsInTheWay(*one, request);
    if (!request.to_claim.empty()) MakeClaim(request);
  }
  news_->Set(std::move(all));
}

// Whether there is a node where it could be with the claims that it has, once others have ended.
bool Scheduler::HelpsToWait(const sched::Request& request) {
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster_.Take();
  return std::any_of(snapshot->nodes.begin(), snapshot->nodes.end(), [&](const sched::NodePtr& node) {
    const Result<bool> fits = decider_.FitsWhenEmpty(*snapshot, *node, request);
    return fits.ok() && *fits;
  });
}

// A claim that was allocated for this Pod alone (by one that was killed then) may tie it to a place that will not do any more.
void Scheduler::FreeClaimsInTheWay(const sched::Waiting& one, const sched::Request& request) {
  const bool any = std::any_of(request.claims.begin(), request.claims.end(), [](const auto& c) { return c->claim.allocation.has_value(); });
  if (!any || claim_pauses_.Has(one.pod->key, one.pod->pod.uid) || HelpsToWait(request)) return;
  for (const sched::ClaimPtr& claim : request.claims) {
    if (!claim->claim.allocation || busy_claims_.contains(claim->key)) continue;
    const auto& users = claim->claim.reserved_for;
    if (std::any_of(users.begin(), users.end(), [&](std::string_view user) { return user != one.pod->pod.name; })) continue;
    ++busy_claims_[claim->key];
    workers_->Add({claim->key}, [this, pod = one.pod, claim] {
      const ClaimName name{std::string(claim->claim.name_space), std::string(claim->claim.name), std::string(claim->claim.uid)};
      const Status status = binder_.Free(*pod, name, {std::nullopt, &end_writes_});
      if (status.ok()) {
        log_.Info("took an allocation back that was in the way", {{"pod", pod->key}, {"claim", claim->key}});
      } else {
        log_.Warning("an allocation that is in the way could not be taken back", {{"claim", claim->key}, {"error", status.message()}});
      }
      intake_.Put(Outcome{Outcome::Job::kClaim, pod->key, std::string(pod->pod.uid), {claim->key}, status});
    });
  }
}

}  // namespace allot::control
