#pragma once
// What a Pod may not ask for where its maker is a user: to run as somebody else, or to reach what is others'.

#include <string_view>

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

// The spec of a Pod or template with allowPrivilegeEscalation false in all containers that say nothing of it. Those that `old` has stay as
// they are.
json::Value RestrictUsersPod(json::Editor& edit, const json::Value& spec, const json::Value& old);

// Adds a Forbidden for each field of the Pod, or of the template, that asks for it. `uid` is the user's on the system (runAsUser may say
// it); empty: not known.
//
// These are refused: runAsUser of somebody else, runAsGroup, fsGroup, supplementalGroups; hostNetwork, hostPID, hostIPC, hostPort;
// privileged, allowPrivilegeEscalation, capabilities.add, procMount; seLinuxOptions, windowsOptions, sysctls; profiles that are Unconfined,
// also by annotation; probes and hooks of another host; volumes but those that hold the user's own (volumes of the machine, hostPath above
// all); classes of priority that the system keeps for itself; namespaces in terms of affinity to Pods.
void CheckUsersPod(const FieldPath& place, const json::Value& pod, std::string_view uid, FieldErrors& errors);

}  // namespace allot::apiserver
