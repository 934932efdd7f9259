#pragma once
// What the status of a Deployment and of a ReplicaSet have in common.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// Counts that are not negative, and of which none is above all replicas. `part` is the count that only this kind has.
void CheckReplicaStatus(const json::Value& status, std::string_view part, FieldErrors& errors);

}  // namespace allot::apiserver
