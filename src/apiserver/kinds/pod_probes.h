#pragma once
// The rules for what is asked of a running container: probes and hooks of its life.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// The three probes and the lifecycle of a container; `grace_seconds` are the Pod's.
void CheckProbesAndHooks(const FieldPath& field, const json::Value& container, int64_t grace_seconds, FieldErrors& errors);

}  // namespace allot::apiserver
