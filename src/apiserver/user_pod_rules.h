#pragma once
// What a Pod may not ask for where its maker is a user: to run as somebody else, or to reach what is others'.

#include <string_view>

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

// Adds a Forbidden for each field of the PodSpec that asks for it. `uid` is the user's on the system (runAsUser may say it); empty: not
// known.
//
// These are refused: runAsUser of somebody else, runAsGroup, fsGroup, supplementalGroups; hostNetwork, hostPID, hostIPC, hostPort;
// privileged, capabilities.add, procMount; seLinuxOptions, windowsOptions, sysctls; profiles that are Unconfined; probes and hooks of
// another host; volumes but those that hold the user's own (volumes of the machine, hostPath above all); classes of priority that the
// system keeps for itself.
void CheckUsersPod(const FieldPath& field, const json::Value& spec, std::string_view uid, FieldErrors& errors);

}  // namespace allot::apiserver
