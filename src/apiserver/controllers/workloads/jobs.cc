#include "apiserver/controllers/workloads/jobs.h"

#include <algorithm>
#include <set>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/pods.h"
#include "apiserver/controllers/workloads/job_status.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kJobs = "jobs.batch";
constexpr size_t kMostNoted = 500;    // uids recorded in the status at once
constexpr int64_t kMostAtOnce = 500;  // Pods made in one turn

bool IsManagedHere(const json::Value& job) {
  const std::string_view by = json::TextOf(job["spec"]["managedBy"]);
  return by.empty() || by == "kubernetes.io/job-controller";
}

// Returns whether the Job was active for too long; if not, sets `left` to the remaining time.
bool IsOverdue(const json::Value& job, WallTime now, Again& left) {
  const json::Value& limit = job["spec"]["activeDeadlineSeconds"];
  const std::optional<WallTime> start = TimeOf(job["status"]["startTime"]);
  if (limit.IsNull() || json::IsTrue(job["spec"]["suspend"])) return false;
  // Limit the seconds to avoid overflow.
  const std::chrono::seconds allowed(std::min<int64_t>(IntOr(limit, 0), 1'000'000'000));
  const auto until = start.value_or(now) + allowed - now;
  if (until <= std::chrono::seconds(0)) return start.has_value();
  left = std::max<std::chrono::nanoseconds>(until, std::chrono::milliseconds(100));
  return false;
}

Again Sooner(const Again& a, const Again& b) { return a && b ? std::min(*a, *b) : a ? a : b; }

}  // namespace

struct Jobs::Turn {
  JobOutcome outcome = {};
  JobCounts counts = {};
  Again again = {};
};

void Jobs::Notice(const Sight& sight) {
  if (sight.Is(kJobs) && !sight.deleted()) Add(sight.key());
  if (sight.Is("pods")) AddOwners(sight, "Job", kJobs);
}

Result<Again> Jobs::Reconcile(const Key& key) {
  const std::optional<Stored> job = Read(store(), key);
  if (!job || !IsManagedHere(job->json())) return Again();
  if (IsFinished(job->json()) || IsDeleting(job->json())) return AfterEnd(*job);
  return Work(*job);
}

Result<Again> Jobs::Work(const Stored& job) {
  ASSIGN_OR_RETURN(const std::vector<Stored> pods, Owned(job, "pods", kJobTracking));
  const JobPods sorted = SortPods(job.json(), pods);
  TRY(NoteEnds(job, sorted));
  const std::optional<Stored> noted = Read(store(), job.key());
  if (!noted || noted->uid() != job.uid() || IsDeleting(noted->json())) return Again();
  TRY(ReleaseEnded(*noted, sorted));

  Turn turn;
  turn.counts = CountsOf(noted->json());
  turn.outcome.active = static_cast<int64_t>(sorted.active.size());
  turn.outcome.ready = sorted.ready;
  turn.outcome.terminating = sorted.terminating;
  Decide(*noted, sorted, turn);
  const Status managed = ManagePods(*noted, pods, sorted, turn);
  TRY(WriteStatus(*noted, turn));
  if (!managed.ok()) return managed;
  if (std::max(sorted.succeeded.size(), sorted.failed.size()) > kMostNoted / 2) return Again(std::chrono::seconds(0));
  return turn.again;
}

// Records the ends in the status first, so the count survives the removal of the Pod.
Status Jobs::NoteEnds(const Stored& job, const JobPods& pods) {
  if (pods.succeeded.empty() && pods.failed.empty()) return Status();
  const auto first = [](std::vector<const Stored*> list, bool all) {
    if (!all) list.resize(std::min(list.size(), kMostNoted / 2));
    return list;
  };
  return Change(TargetOf(job.key(), "status"), job.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    const json::Value status = NoteInStatus(edit, stored, first(pods.succeeded, IsIndexed(stored)), first(pods.failed, false));
    return json::Equal(status, stored["status"]) ? stored : edit.Set(stored, "status", status);
  });
}

// Releases all recorded Pods, also those of an earlier turn that was interrupted: a Pod that is counted next must not be recorded again.
Status Jobs::ReleaseEnded(const Stored& job, const JobPods& pods) {
  std::set<std::string_view> noted;
  for (const std::string_view list : {"succeeded", "failed"}) {
    for (const json::Value& uid : json::ItemsOf(job.status()["uncountedTerminatedPods"][list])) noted.insert(json::TextOf(uid));
  }
  for (const Stored* pod : pods.failed) {
    // A Pod without a valid index counts as no failure.
    if (noted.contains(pod->uid()) || (IsIndexed(job.json()) && !CompletionIndex(job.json(), pod->json()))) TRY(Release(*pod));
  }
  for (const Stored* pod : pods.succeeded) {
    if (noted.contains(pod->uid()) || IsIndexed(job.json())) TRY(Release(*pod));
  }
  return Status();
}

Status Jobs::Release(const Stored& pod) {
  return Change(TargetOf(pod.key()), pod.uid(), [](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    return WithoutFinalizer(edit, stored, kJobTracking);
  });
}

void Jobs::Decide(const Stored& job, const JobPods& pods, Turn& turn) const {
  JobOutcome& outcome = turn.outcome;
  const json::Value& spec = job.spec();
  if (const JobEnd decided = DecidedEnd(job.json()); decided != JobEnd::kNone) {
    const json::Value* condition = FindCondition(job.status(), decided == JobEnd::kSuccess ? "SuccessCriteriaMet" : "FailureTarget");
    outcome.end = decided;
    outcome.reason = json::TextOf((*condition)["reason"]);
    outcome.message = json::TextOf((*condition)["message"]);
  } else if (turn.counts.failed > IntOr(spec["backoffLimit"], 6) || RestartsExceed(job.json(), pods)) {
    outcome.end = JobEnd::kFailure;
    outcome.reason = "BackoffLimitExceeded";
    outcome.message = "Job has reached the specified backoff limit";
  } else if (IsOverdue(job.json(), Now(), turn.again)) {
    outcome.end = JobEnd::kFailure;
    outcome.reason = "DeadlineExceeded";
    outcome.message = "Job was active longer than specified deadline";
  } else {
    const json::Value& completions = spec["completions"];
    const bool enough = completions.IsNull() ? turn.counts.succeeded > 0 : turn.counts.succeeded >= IntOr(completions, 1);
    if (!enough || outcome.active > 0) return;
    outcome.end = JobEnd::kSuccess;
    outcome.reason = "CompletionsReached";
    outcome.message = "Reached expected number of succeeded pods";
  }
}

Status Jobs::ManagePods(const Stored& job, const std::vector<Stored>& pods, const JobPods& sorted, Turn& turn) {
  JobOutcome& outcome = turn.outcome;
  const auto remove = [&](size_t count, bool count_as_failed) -> Status {
    // Delete unready Pods first.
    std::vector<const Stored*> victims = sorted.active;
    std::stable_sort(victims.begin(), victims.end(),
                     [](const Stored* a, const Stored* b) { return !IsReady(a->json()) && IsReady(b->json()); });
    victims.resize(std::min(count, victims.size()));
    for (const Stored* pod : victims) {
      // A Pod that the Job itself deletes has not failed.
      if (!count_as_failed) TRY(Release(*pod));
      TRY(Delete(TargetOf(pod->key()), pod->uid()));
      --outcome.active;
      outcome.ready -= IsReady(pod->json()) ? 1 : 0;
      if (store().Get(pod->key()) != nullptr) ++outcome.terminating;
    }
    return Status();
  };
  if (outcome.end != JobEnd::kNone) return remove(sorted.active.size(), true);
  if (json::IsTrue(job.spec()["suspend"])) return remove(sorted.active.size(), false);

  const int64_t parallelism = IntOr(job.spec()["parallelism"], 1);
  int64_t wanted = parallelism;
  if (!job.spec()["completions"].IsNull()) {
    wanted = std::min(parallelism, std::max<int64_t>(0, IntOr(job.spec()["completions"], 1) - turn.counts.succeeded));
  } else if (turn.counts.succeeded > 0) {
    wanted = std::min(parallelism, outcome.active);  // the running Pods only have to end
  }
  if (wanted < outcome.active) return remove(static_cast<size_t>(outcome.active - wanted), false);
  const bool after_end = json::TextOf(job.spec()["podReplacementPolicy"]) == "Failed";
  const int64_t missing = wanted - outcome.active - (after_end ? outcome.terminating : 0);
  if (missing <= 0) return Status();
  if (const Again pause = FailurePause(pods, Now())) {
    turn.again = Sooner(turn.again, pause);
    return Status();
  }
  return AddPods(job, sorted, std::min(missing, kMostAtOnce), outcome.active);
}

Status Jobs::AddPods(const Stored& job, const JobPods& pods, int64_t count, int64_t& active) {
  json::Arena arena;
  json::Editor edit(arena);
  const bool indexed = IsIndexed(job.json());
  const int64_t completions = IntOr(job.spec()["completions"], 0);
  JobIndexes taken(json::TextOf(job.status()["completedIndexes"]), completions);
  for (const Stored* pod : pods.active) {
    if (const auto index = CompletionIndex(job.json(), pod->json())) taken.Add(*index);
  }
  for (int64_t index = taken.FirstWithout(0); count > 0 && (!indexed || index < completions);
       index = taken.FirstWithout(index + 1), --count) {
    const json::Value pod = MakeJobPod(edit, job.json(), indexed ? std::optional(index) : std::nullopt);
    if (Result<Stored> made = Create("pods", job.key().space, pod); !made.ok()) return made.status();
    ++active;
  }
  return Status();
}

Status Jobs::WriteStatus(const Stored& job, const Turn& turn) {
  return Change(TargetOf(job.key(), "status"), job.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    const json::Value status = NextJobStatus(edit, stored, turn.outcome, Now());
    return json::Equal(status, stored["status"]) ? stored : edit.Set(stored, "status", status);
  });
}

// Releases all Pods, since nothing is counted any more, and applies the Job's time to live.
Result<Again> Jobs::AfterEnd(const Stored& job) {
  for (const Key& key : world().owners.Of(job.uid(), job.key().space)) {
    const std::optional<Stored> pod = key.resource == "pods" ? Read(store(), key) : std::nullopt;
    if (pod && HasFinalizer(pod->json(), kJobTracking)) TRY(Release(*pod));
  }
  const json::Value& ttl = job.spec()["ttlSecondsAfterFinished"];
  if (IsDeleting(job.json()) || ttl.IsNull()) return Again();
  const json::Value* end = FindCondition(job.status(), ConditionStatus(job.status(), "Complete") == "True" ? "Complete" : "Failed");
  const WallTime ended = TimeOf((*end)["lastTransitionTime"]).value_or(WallTime());
  const auto left = ended + std::chrono::seconds(IntOr(ttl, 0)) - Now();
  if (left > std::chrono::seconds(0)) return Again(left);
  TRY(Delete(TargetOf(job.key()), job.uid()));
  return Again();
}

void JobOrphans::Notice(const Sight& sight) {
  if (sight.Is("pods") && !sight.deleted() && sight.Mentions(kJobTracking)) Add(sight.key());
}

Result<Again> JobOrphans::Reconcile(const Key& key) {
  const std::optional<Stored> pod = Read(store(), key);
  if (!pod || !HasFinalizer(pod->json(), kJobTracking)) return Again();
  if (const json::Value* owner = ControllerOf(pod->json()); owner != nullptr && json::TextOf((*owner)["kind"]) == "Job") {
    const EntryPtr job = store().Get({std::string(kJobs), key.space, std::string(json::TextOf((*owner)["name"]))});
    if (job != nullptr && job->uid == json::TextOf((*owner)["uid"])) return Again();
  }
  TRY(Change(TargetOf(key), pod->uid(), [](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    return WithoutFinalizer(edit, stored, kJobTracking);
  }));
  return Again();
}

}  // namespace allot::apiserver
