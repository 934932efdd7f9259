#include "apiserver/controllers/workloads/job_pods.h"

#include <algorithm>
#include <charconv>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/pods.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr std::chrono::seconds kFirstPause{10}, kLongestPause{600};

// A Pod that is being deleted may never end. It counts as failed, unless the Job's podReplacementPolicy waits for its end.
bool HasFailed(const json::Value& job, const json::Value& pod) {
  const std::string_view phase = json::TextOf(pod["status"]["phase"]);
  if (phase == "Failed") return true;
  return json::TextOf(job["spec"]["podReplacementPolicy"]) != "Failed" && IsDeleting(pod) && phase != "Succeeded";
}

// Returns when a Pod ended, as precisely as known.
WallTime EndOf(const json::Value& pod) {
  WallTime end{};
  for (const json::Value& container : json::ItemsOf(pod["status"]["containerStatuses"])) {
    end = std::max(end, TimeOf(container["state"]["terminated"]["finishedAt"]).value_or(WallTime()));
  }
  if (end != WallTime()) return end;
  if (const json::Value* ready = FindCondition(pod["status"], "Ready")) {
    if (const auto time = TimeOf((*ready)["lastTransitionTime"])) return *time;
  }
  return TimeOf(pod["metadata"]["deletionTimestamp"]).value_or(TimeOf(pod["metadata"]["creationTimestamp"]).value_or(WallTime()));
}

json::Value AddIndexVariable(json::Editor& edit, const json::Value& containers) {
  return edit.Map(containers, [&](const json::Value& container) {
    const auto variables = json::ItemsOf(container["env"]);
    const bool has =
        std::any_of(variables.begin(), variables.end(), [](const json::Value& one) { return json::TextOf(one["name"]) == kIndexVariable; });
    if (has) return container;
    const json::Value from = edit.SetAt({}, {"fieldRef", "fieldPath"}, edit.String(StrCat("metadata.labels['", kIndex, "']")));
    return edit.Set(container, "env",
                    edit.Append(container["env"], edit.Object({{"name", edit.Literal(kIndexVariable)}, {"valueFrom", from}})));
  });
}

}  // namespace

bool IsIndexed(const json::Value& job) { return json::TextOf(job["spec"]["completionMode"]) == "Indexed"; }

std::optional<int64_t> CompletionIndex(const json::Value& job, const json::Value& pod) {
  const std::string_view text = json::TextOf(pod["metadata"]["annotations"][kIndex]);
  int64_t index = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (index < 0 || index >= IntOr(job["spec"]["completions"], 0)) return std::nullopt;
  return index;
}

JobPods SortPods(const json::Value& job, const std::vector<Stored>& pods) {
  JobPods sorted;
  for (const Stored& pod : pods) {
    const json::Value& json = pod.json();
    if (IsActive(json)) {
      sorted.active.push_back(&pod);
      sorted.ready += IsReady(json) ? 1 : 0;
      continue;
    }
    sorted.terminating += HasEnded(json) ? 0 : 1;
    if (!HasFinalizer(json, kJobTracking)) continue;
    if (HasFailed(job, json)) {
      sorted.failed.push_back(&pod);
    } else if (HasEnded(json)) {
      sorted.succeeded.push_back(&pod);
    }
  }
  return sorted;
}

Again FailurePause(const std::vector<Stored>& pods, WallTime now) {
  WallTime last_success{}, last_failure{};
  std::vector<WallTime> failures;
  for (const Stored& pod : pods) {
    const std::string_view phase = json::TextOf(pod.status()["phase"]);
    if (phase == "Succeeded") last_success = std::max(last_success, EndOf(pod.json()));
    if (phase == "Failed") failures.push_back(EndOf(pod.json()));
  }
  int64_t count = 0;
  for (const WallTime failure : failures) {
    if (failure <= last_success) continue;
    ++count;
    last_failure = std::max(last_failure, failure);
  }
  if (count == 0) return Again();
  std::chrono::seconds pause = kFirstPause;
  for (; count > 1 && pause < kLongestPause; --count) pause *= 2;
  const auto left = last_failure + std::min(pause, kLongestPause) - now;
  return left > std::chrono::seconds(0) ? Again(std::min<std::chrono::nanoseconds>(left, kLongestPause)) : Again();
}

bool RestartsExceed(const json::Value& job, const JobPods& pods) {
  if (json::TextOf(job["spec"]["template"]["spec"]["restartPolicy"]) != "OnFailure") return false;
  int64_t restarts = 0;
  for (const Stored* pod : pods.active) {
    if (json::TextOf(pod->status()["phase"]) != "Running" && json::TextOf(pod->status()["phase"]) != "Pending") continue;
    for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
      for (const json::Value& container : json::ItemsOf(pod->status()[list])) restarts += IntOr(container["restartCount"], 0);
    }
  }
  const int64_t limit = IntOr(job["spec"]["backoffLimit"], 6);
  return limit == 0 ? restarts > 0 : restarts >= limit;
}

json::Value MakeJobPod(json::Editor& edit, const json::Value& job, std::optional<int64_t> index) {
  const std::string_view name = json::TextOf(job["metadata"]["name"]);
  const std::string prefix = index ? StrCat(name, "-", *index, "-") : StrCat(name, "-");
  json::Value pod = WithFinalizer(edit, PodFromTemplate(edit, job["spec"]["template"], job, prefix), kJobTracking);
  if (!index) return pod;
  const json::Value text = edit.String(std::to_string(*index));
  pod = edit.SetAt(pod, {"metadata", "annotations", kIndex}, text);
  pod = edit.SetAt(pod, {"metadata", "labels", kIndex}, text);
  for (const std::string_view list : {"initContainers", "containers"}) {
    if (pod["spec"][list].IsArray()) pod = edit.SetAt(pod, {"spec", list}, AddIndexVariable(edit, pod["spec"][list]));
  }
  constexpr size_t kLongestHost = 63;
  const std::string suffix = StrCat("-", *index);
  return edit.SetAt(pod, {"spec", "hostname"}, edit.String(StrCat(name.substr(0, kLongestHost - suffix.size()), suffix)));
}

}  // namespace allot::apiserver
