#pragma once
// The rules for probes and lifecycle hooks of a container.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// Checks the three probes and the lifecycle of a container. `grace_seconds` is the Pod's.
void CheckProbesAndHooks(const FieldPath& field, const json::Value& container, int64_t grace_seconds, FieldErrors& errors);

}  // namespace allot::apiserver
