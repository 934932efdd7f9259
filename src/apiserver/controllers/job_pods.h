#pragma once
// The Pods of a Job: what they amount to, and how new ones are made.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/controllers/controller.h"
#include "apiserver/controllers/job_indexes.h"

namespace allot::apiserver {

// On each Pod until its end is counted in the Job's status: a Pod that is deleted before stays that long.
inline constexpr std::string_view kJobTracking = "batch.kubernetes.io/job-tracking";

bool IsIndexed(const json::Value& job);
// The index of an indexed Job's Pod; nothing: it has none that counts.
std::optional<int64_t> CompletionIndex(const json::Value& job, const json::Value& pod);

struct JobPods {
  std::vector<const Stored*> active;
  std::vector<const Stored*> succeeded, failed;  // that still have the finalizer
  int64_t ready = 0;
  int64_t terminating = 0;  // being deleted, and not ended
};
JobPods SortPods(const json::Value& job, const std::vector<Stored>& pods);

// How long no new Pod should be made after the latest failures: 10 s after the first, twice that after each further one, at most 10
// minutes. Nothing: no pause.
Again FailurePause(const std::vector<Stored>& pods, WallTime now);

// Containers were restarted more often than the Job allows (of Pods that restart their containers).
bool RestartsExceed(const json::Value& job, const JobPods& pods);

// A new Pod; `index` of an indexed Job.
json::Value MakeJobPod(json::Editor& edit, const json::Value& job, std::optional<int64_t> index);

}  // namespace allot::apiserver
