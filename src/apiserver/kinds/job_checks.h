#pragma once
// The rules for the spec and the status of a Job.

#include <string>
#include <utility>
#include <vector>

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

void CheckJobSpec(const json::Value& job, FieldErrors& errors);
// Few fields may change; more while the Job is suspended.
void CheckJobSpecUpdate(const json::Value& job, const json::Value& old, FieldErrors& errors);

// Checks podFailurePolicy and successPolicy; `field` is that of the spec.
void CheckJobPolicies(const FieldPath& field, const json::Value& spec, FieldErrors& errors);

void CheckJobStatus(const json::Value& job, const json::Value& old, FieldErrors& errors);

// A list of indexes like "1,3-5", or the problem with it. Indexes must be below `completions` and increase.
struct Indexes {
  std::vector<std::pair<int64_t, int64_t>> ranges;  // first and last
  int64_t count = 0;
  std::string problem;
};
Indexes ReadIndexes(std::string_view text, int64_t completions);

bool HasTrueCondition(const json::Value& job, std::string_view type);

}  // namespace allot::apiserver
