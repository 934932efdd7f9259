#pragma once
// Checks shared by the status of Deployments and ReplicaSets.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// Counts must not be negative, and none may exceed the replicas. `part` is the count that only this kind has.
void CheckReplicaStatus(const json::Value& status, std::string_view part, FieldErrors& errors);

}  // namespace allot::apiserver
