#pragma once
// The status of a Job: counters, conditions, times.

#include <string>
#include <string_view>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

enum class JobEnd { kNone, kSuccess, kFailure };

struct JobCounts {
  int64_t succeeded = 0, failed = 0;
};
// Includes Pods whose uids are recorded in uncountedTerminatedPods.
JobCounts CountsOf(const json::Value& job);

// Whether the Job is Complete or Failed.
bool IsFinished(const json::Value& job);
// The end decided in an earlier turn.
JobEnd DecidedEnd(const json::Value& job);

struct JobOutcome {
  int64_t active = 0, ready = 0, terminating = 0;
  JobEnd end = JobEnd::kNone;
  std::string_view reason = {};  // of the end
  std::string message = {};
};

// Returns the status after a turn. Counts the recorded uids: REQUIRES that no Pod among them has the finalizer any more.
json::Value NextJobStatus(json::Editor& edit, const json::Value& job, const JobOutcome& outcome, WallTime now);

// Returns the status with the uids of ended Pods recorded, and their indexes if the Job is indexed.
json::Value NoteInStatus(json::Editor& edit, const json::Value& job, const std::vector<const Stored*>& succeeded,
                         const std::vector<const Stored*>& failed);

}  // namespace allot::apiserver
