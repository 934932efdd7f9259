#pragma once
// The Pods of a Job: their totals, and new ones.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/controllers/controller.h"
#include "apiserver/controllers/workloads/job_indexes.h"

namespace allot::apiserver {

// Every Pod of a Job has this finalizer until the Job's status counts its end, so a Pod deleted earlier stays until then.
inline constexpr std::string_view kJobTracking = "batch.kubernetes.io/job-tracking";

bool IsIndexed(const json::Value& job);
// The index of an indexed Job's Pod; nullopt if it has no valid one.
std::optional<int64_t> CompletionIndex(const json::Value& job, const json::Value& pod);

struct JobPods {
  std::vector<const Stored*> active;
  std::vector<const Stored*> succeeded, failed;  // those that still have the finalizer
  int64_t ready = 0;
  int64_t terminating = 0;  // being deleted and not ended
};
JobPods SortPods(const json::Value& job, const std::vector<Stored>& pods);

// Returns how long to wait before making a Pod after the latest failures: 10 s after the first, twice that after each further one, at most
// 10 minutes. nullopt: no wait.
Again FailurePause(const std::vector<Stored>& pods, WallTime now);

// Whether containers restarted more often than the Job allows (for Pods that restart their containers).
bool RestartsExceed(const json::Value& job, const JobPods& pods);

// Makes a Pod; `index` is set for an indexed Job.
json::Value MakeJobPod(json::Editor& edit, const json::Value& job, std::optional<int64_t> index);

}  // namespace allot::apiserver
