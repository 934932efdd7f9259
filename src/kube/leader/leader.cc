#include "kube/leader/leader.h"

#include <poll.h>

#include <algorithm>

#include "base/check.h"
#include "json/builder.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Kind = Elector::Action::Kind;

int64_t Number(const json::Value& value) { return value.IsNumber() ? value.AsInt64().value_or(0) : 0; }

LeaseRecord RecordOf(const Object& lease) {
  const json::Value& spec = lease.json()["spec"];
  return {std::string(Object::Text(spec["holderIdentity"])),
          Number(spec["leaseDurationSeconds"]),
          std::string(Object::Text(spec["acquireTime"])),
          std::string(Object::Text(spec["renewTime"])),
          Number(spec["leaseTransitions"]),
          std::string(lease.resource_version())};
}

}  // namespace

Status LeaderOptions::Check() const {
  if (identity.empty()) return Invalid("leader election: identity is empty");
  if (lease_duration <= renew_deadline) return Invalid("leader election: the lease duration must be longer than the renew deadline");
  if (retry_period <= milliseconds(0) || renew_deadline <= retry_period * 6 / 5)
    return Invalid("leader election: the renew deadline must be longer than 1.2 retry periods");
  return Status();
}

Elector::Elector(LeaderOptions options, Random& random) : options_(std::move(options)), random_(random) { CHECK(options_.Check().ok()); }

Elector::Action Elector::Next(MonotonicTime now, WallTime wall) {
  if (now < next_at_) return {Kind::kWait, next_at_, {}};
  // A leader has no use for a response after its term. Half of the deadline leaves time for a second attempt.
  MonotonicTime until = now + options_.renew_deadline / 2;
  if (Leads(now)) until = std::min(until, *leads_until_);
  if (step_ == Step::kLook) return {Kind::kGet, until, {}};
  return {seen_.resource_version.empty() ? Kind::kCreate : Kind::kUpdate, until, NewRecord(wall)};
}

LeaseRecord Elector::NewRecord(WallTime wall) const {
  LeaseRecord record = seen_;
  record.renew_time = WriteMicroTime(wall);
  // A write that changes nothing gets no new resourceVersion, so candidates would not notice it.
  if (record.renew_time == seen_.renew_time) record.renew_time = WriteMicroTime(wall + std::chrono::microseconds(1));
  record.duration_seconds = options_.lease_duration.count();
  if (IsMine()) return record;
  record.holder = options_.identity;
  record.acquire_time = record.renew_time;
  if (!seen_.resource_version.empty()) ++record.transitions;
  return record;
}

void Elector::See(const LeaseRecord& record, MonotonicTime now) {
  // Every write has a new resourceVersion, even if the holder's clock stands still.
  if (record.resource_version != seen_.resource_version) seen_at_ = now;
  seen_ = record;
}

void Elector::OnFound(const LeaseRecord& record, MonotonicTime now) {
  See(record, now);
  if (!IsMine()) leads_until_.reset();
  const int64_t duration = record.duration_seconds > 0 ? record.duration_seconds : options_.lease_duration.count();
  if (!IsMine() && !record.holder.empty() && now <= seen_at_ + seconds(duration)) return Rest(now);
  step_ = Step::kWrite;
  looked_ = true;
  next_at_ = now;
}

void Elector::OnMissing(MonotonicTime now) {
  // The holder of a deleted Lease may still lead without knowing. Wait out its term as if it had renewed just now.
  LeaseRecord record = seen_;
  record.resource_version.clear();
  OnFound(record, now);
}

void Elector::OnWritten(const LeaseRecord& record, MonotonicTime sent, MonotonicTime now) {
  See(record, now);
  const bool led = Leads(now);
  // Count the term from before the write was sent: candidates start waiting only after the write took effect.
  leads_until_ = sent + options_.renew_deadline;
  if (!led && Leads(now)) ++term_;
  step_ = Step::kWrite;
  looked_ = false;
  next_at_ = now + options_.retry_period;
}

void Elector::OnFailed(MonotonicTime now) {
  // The renewal may have failed because the Lease changed. Look at once, in the time that is left.
  if (step_ != Step::kWrite || !IsMine() || looked_) return Rest(now);
  step_ = Step::kLook;
  next_at_ = now;
}

void Elector::Rest(MonotonicTime now) {
  step_ = Step::kLook;
  looked_ = false;
  next_at_ = now + options_.retry_period;
  const auto jitter = static_cast<uint64_t>(options_.retry_period.count()) * 6 / 5;
  if (!Leads(now)) next_at_ += milliseconds(random_.Below(jitter + 1));
}

std::optional<LeaseRecord> Elector::Release(WallTime wall) {
  leads_until_.reset();
  if (!IsMine() || seen_.resource_version.empty()) return std::nullopt;
  LeaseRecord record = seen_;
  record.holder.clear();
  record.duration_seconds = 1;
  record.acquire_time = record.renew_time = WriteMicroTime(wall);
  return record;
}

Result<LeaseRecord> KubeLease::Keep(Result<ObjectPtr> answer) {
  if (!answer.ok()) return std::move(answer).status();
  last_ = *answer;
  return RecordOf(*last_);
}

Result<LeaseRecord> KubeLease::Get(const Patience& patience) { return Keep(client_.Get(types::kLeases, namespace_, name_, patience)); }

Result<LeaseRecord> KubeLease::Create(const LeaseRecord& record, const Patience& patience) {
  last_ = nullptr;
  return Keep(client_.Create(types::kLeases, namespace_, Write(record), {}, patience));
}

Result<LeaseRecord> KubeLease::Update(const LeaseRecord& record, const Patience& patience) {
  return Keep(client_.Update(types::kLeases, namespace_, name_, Write(record), "", {}, patience));
}

std::string KubeLease::Write(const LeaseRecord& record) const {
  json::Arena arena;
  json::Builder b(arena);
  const auto others = [&](const json::Value& object, std::initializer_list<std::string_view> replaced) {
    if (!object.IsObject()) return;
    for (const json::Member& member : object.Members()) {
      if (std::find(replaced.begin(), replaced.end(), member.key) == replaced.end()) b.Key(member.key), b.Add(member.value);
    }
  };
  const json::Value last = last_ == nullptr ? json::Value() : last_->json();
  b.StartObject();
  b.Key("apiVersion"), b.String(types::kLeases.ApiVersion());
  b.Key("kind"), b.String(types::kLeases.kind);
  b.Key("metadata"), b.StartObject();
  others(last["metadata"], {"name", "namespace", "resourceVersion", "managedFields"});
  b.Key("name"), b.String(name_);
  b.Key("namespace"), b.String(namespace_);
  if (!record.resource_version.empty()) b.Key("resourceVersion"), b.String(record.resource_version);
  b.EndObject();
  b.Key("spec"), b.StartObject();
  others(last["spec"], {"holderIdentity", "leaseDurationSeconds", "acquireTime", "renewTime", "leaseTransitions"});
  b.Key("holderIdentity"), b.String(record.holder);
  b.Key("leaseDurationSeconds"), b.Int(record.duration_seconds);
  b.Key("acquireTime"), b.String(record.acquire_time);
  b.Key("renewTime"), b.String(record.renew_time);
  b.Key("leaseTransitions"), b.Int(record.transitions);
  b.EndObject();
  b.EndObject();
  return json::Write(b.Finish());
}

LeaderElection::LeaderElection(LeaseStore& store, LeaderOptions options, Random& random, Callbacks callbacks)
    : store_(store), options_(options), callbacks_(std::move(callbacks)), elector_(std::move(options), random) {}

void LeaderElection::Start() {
  CHECK(!campaign_.joinable());
  herald_ = std::thread([this] { Herald(); });
  campaign_ = std::thread([this] { Campaign(); });
}

void LeaderElection::Stop() {
  stop_.Request();
  if (campaign_.joinable()) campaign_.join();
  if (herald_.joinable()) herald_.join();
}

bool LeaderElection::leading() const {
  const std::lock_guard lock(mutex_);
  return !stop_.requested() && elector_.Leads(steady_clock::now());
}

std::string LeaderElection::leader() const {
  const std::lock_guard lock(mutex_);
  return elector_.holder();
}

Status LeaderElection::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void LeaderElection::Campaign() {
  const SystemClock wall;
  while (!stop_.requested()) {
    Elector::Action action;
    {
      const std::lock_guard lock(mutex_);
      action = elector_.Next(steady_clock::now(), wall.Now());
    }
    if (action.kind != Kind::kWait) {
      Act(action);
      continue;
    }
    const auto left = std::chrono::ceil<milliseconds>(action.until - steady_clock::now()).count();
    pollfd polled = {stop_.fd(), POLLIN, 0};
    if (left > 0) poll(&polled, 1, static_cast<int>(left));
  }
  HandOver();
}

void LeaderElection::Act(const Elector::Action& action) {
  const Patience patience{action.until, &stop_};
  const MonotonicTime sent = steady_clock::now();
  const Result<LeaseRecord> answer = action.kind == Kind::kGet      ? store_.Get(patience)
                                     : action.kind == Kind::kCreate ? store_.Create(action.record, patience)
                                                                    : store_.Update(action.record, patience);
  const std::lock_guard lock(mutex_);
  const MonotonicTime now = steady_clock::now();
  const bool missing = action.kind == Kind::kGet && answer.status().code() == Code::kNotFound;
  status_ = missing ? Status() : answer.status();
  if (missing) {
    elector_.OnMissing(now);
  } else if (!answer.ok()) {
    elector_.OnFailed(now);
  } else if (action.kind == Kind::kGet) {
    elector_.OnFound(*answer, now);
  } else {
    elector_.OnWritten(*answer, sent, now);
  }
  changed_.notify_all();
}

void LeaderElection::HandOver() {
  const SystemClock wall;
  std::optional<LeaseRecord> record;
  {
    std::unique_lock lock(mutex_);
    record = elector_.Release(wall.Now());
    ending_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return told_term_ == 0; });  // the work has stopped
  }
  const Patience patience{steady_clock::now() + options_.renew_deadline / 2, nullptr};
  for (int tries = 0; record && tries < 3; ++tries) {
    const Result<LeaseRecord> written = store_.Update(*record, patience);
    if (written.ok() || written.status().code() != Code::kConflict) return;
    // An earlier renewal, whose response was lost or not awaited, made a newer version.
    const Result<LeaseRecord> found = store_.Get(patience);
    if (!found.ok()) return;
    const std::lock_guard lock(mutex_);
    elector_.OnFound(*found, steady_clock::now());
    record = elector_.Release(wall.Now());
  }
}

void LeaderElection::Herald() {
  std::string told_leader;
  const auto tell = [](std::unique_lock<std::mutex>& lock, const auto& callback, const auto&... what) {
    lock.unlock();
    if (callback) callback(what...);
    lock.lock();
  };
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool leads = elector_.Leads(steady_clock::now());
    if (told_term_ != 0 && (!leads || told_term_ != elector_.term())) {
      tell(lock, callbacks_.stopped);
      told_term_ = 0;
      changed_.notify_all();
    } else if (leads && told_term_ == 0) {
      told_term_ = elector_.term();
      tell(lock, callbacks_.started);
    } else if (ending_) {
      return;
    } else if (!elector_.holder().empty() && elector_.holder() != told_leader) {
      told_leader = elector_.holder();
      tell(lock, callbacks_.new_leader, told_leader);
    } else if (leads) {
      changed_.wait_until(lock, *elector_.leads_until());
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace allot::kube
