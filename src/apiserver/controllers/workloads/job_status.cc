#include "apiserver/controllers/workloads/job_status.h"

#include <set>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/workloads/job_pods.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kUncounted = "uncountedTerminatedPods", kProbed = "lastProbeTime";

bool IsTrueCondition(const json::Value& job, std::string_view type) { return ConditionStatus(job["status"], type) == "True"; }

// Adds the uids of the Pods to one of the lists. Skips uids that either list has: the outcome recorded first stays.
json::Value NoteUids(json::Editor& edit, const json::Value& uncounted, std::string_view list, const std::vector<const Stored*>& pods) {
  std::set<std::string_view> noted;
  for (const std::string_view one : {"succeeded", "failed"}) {
    for (const json::Value& uid : json::ItemsOf(uncounted[one])) noted.insert(json::TextOf(uid));
  }
  const auto before = json::ItemsOf(uncounted[list]);
  std::vector<json::Value> uids(before.begin(), before.end());
  for (const Stored* pod : pods) {
    if (!noted.contains(pod->uid())) uids.push_back(edit.String(pod->uid()));
  }
  return uids.size() == before.size() ? uncounted : edit.Set(uncounted, list, edit.Array(uids));
}

// Updates the status of a suspended or resumed Job.
json::Value Suspension(json::Editor& edit, const json::Value& job, json::Value status, WallTime now) {
  const bool suspended = json::IsTrue(job["spec"]["suspend"]);
  const std::string_view before = ConditionStatus(job["status"], "Suspended");
  if (suspended && before != "True") {
    const Condition condition{"Suspended", "True", "JobSuspended", "Job suspended"};
    status = edit.Set(status, "conditions", SetCondition(edit, status["conditions"], condition, now, kProbed));
  } else if (!suspended && before == "True") {
    const Condition condition{"Suspended", "False", "JobResumed", "Job resumed"};
    status = edit.Set(status, "conditions", SetCondition(edit, status["conditions"], condition, now, kProbed));
    return edit.Set(status, "startTime", TimeValue(edit, now));  // the deadline starts again
  }
  if (!suspended && status["startTime"].IsNull()) status = edit.Set(status, "startTime", TimeValue(edit, now));
  return status;
}

json::Value Ending(json::Editor& edit, json::Value status, const JobOutcome& outcome, WallTime now) {
  const bool success = outcome.end == JobEnd::kSuccess;
  json::Value conditions =
      SetCondition(edit, status["conditions"], {success ? "SuccessCriteriaMet" : "FailureTarget", "True", outcome.reason, outcome.message},
                   now, kProbed);
  // The final condition is set only when no Pod of the Job runs any more.
  if (outcome.active == 0 && outcome.terminating == 0) {
    conditions = SetCondition(edit, conditions, {success ? "Complete" : "Failed", "True", outcome.reason, outcome.message}, now, kProbed);
    if (success) status = edit.Set(status, "completionTime", TimeValue(edit, now));
    if (status["startTime"].IsNull()) status = edit.Set(status, "startTime", TimeValue(edit, now));
  }
  return edit.Set(status, "conditions", conditions);
}

}  // namespace

JobCounts CountsOf(const json::Value& job) {
  const json::Value& status = job["status"];
  const auto noted = [&](std::string_view list) { return static_cast<int64_t>(json::ItemsOf(status[kUncounted][list]).size()); };
  JobCounts counts{IntOr(status["succeeded"], 0) + noted("succeeded"), IntOr(status["failed"], 0) + noted("failed")};
  if (IsIndexed(job)) counts.succeeded = JobIndexes(json::TextOf(status["completedIndexes"]), IntOr(job["spec"]["completions"], 0)).size();
  return counts;
}

bool IsFinished(const json::Value& job) { return IsTrueCondition(job, "Complete") || IsTrueCondition(job, "Failed"); }

JobEnd DecidedEnd(const json::Value& job) {
  if (IsTrueCondition(job, "SuccessCriteriaMet")) return JobEnd::kSuccess;
  return IsTrueCondition(job, "FailureTarget") ? JobEnd::kFailure : JobEnd::kNone;
}

json::Value NoteInStatus(json::Editor& edit, const json::Value& job, const std::vector<const Stored*>& succeeded,
                         const std::vector<const Stored*>& failed) {
  json::Value status = job["status"];
  json::Value uncounted = status[kUncounted];
  if (IsIndexed(job)) {
    JobIndexes done(json::TextOf(status["completedIndexes"]), IntOr(job["spec"]["completions"], 0));
    for (const Stored* pod : succeeded) {
      if (const auto index = CompletionIndex(job, pod->json())) done.Add(*index);
    }
    if (done.size() > 0) status = edit.Set(status, "completedIndexes", edit.String(done.ToString()));
    status = SetCount(edit, status, "succeeded", done.size());
  } else {
    uncounted = NoteUids(edit, uncounted, "succeeded", succeeded);
  }
  std::vector<const Stored*> counted = failed;
  if (IsIndexed(job)) std::erase_if(counted, [&](const Stored* pod) { return !CompletionIndex(job, pod->json()); });
  uncounted = NoteUids(edit, uncounted, "failed", counted);
  return uncounted.IsNull() ? status : edit.Set(status, kUncounted, uncounted);
}

json::Value NextJobStatus(json::Editor& edit, const json::Value& job, const JobOutcome& outcome, WallTime now) {
  const JobCounts counts = CountsOf(job);
  json::Value status = SetCount(edit, job["status"], "succeeded", counts.succeeded);
  status = SetCount(edit, status, "failed", counts.failed);
  status = SetCount(edit, status, "active", outcome.active);
  status = edit.Set(status, "ready", edit.Int(outcome.ready));
  status = edit.Set(status, "terminating", edit.Int(outcome.terminating));
  status = edit.Set(status, kUncounted, edit.Object({}));
  status = outcome.end == JobEnd::kNone ? Suspension(edit, job, status, now) : Ending(edit, status, outcome, now);
  return status;
}

}  // namespace allot::apiserver
