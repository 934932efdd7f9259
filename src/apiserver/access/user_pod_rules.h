#pragma once
// What a user's Pod may not ask for: to run as another user, or to access what belongs to others.

#include <string_view>

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

// Sets allowPrivilegeEscalation to false in all containers that do not set it. Containers of `old` stay unchanged.
json::Value RestrictUsersPod(json::Editor& edit, const json::Value& spec, const json::Value& old);

// Adds Forbidden for each such field of the Pod or template. `uid` is the user's in the system, which runAsUser may name; empty: unknown.
//
// Refused: runAsUser of another user, runAsGroup, fsGroup, supplementalGroups; hostNetwork, hostPID, hostIPC, hostPort; privileged,
// allowPrivilegeEscalation, capabilities.add, procMount; seLinuxOptions, windowsOptions, sysctls; Unconfined profiles, also by annotation;
// probes and hooks of another host; every volume except those that hold the user's own data (so no hostPath); system priority classes;
// namespaces in Pod affinity terms.
void CheckUsersPod(const FieldPath& place, const json::Value& pod, std::string_view uid, FieldErrors& errors);

}  // namespace allot::apiserver
