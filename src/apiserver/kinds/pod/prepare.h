#pragma once
// The fields that the server sets in a new Pod.

#include "json/editor.h"

namespace allot::apiserver {

// Removes the fields of feature gates that are off in 1.36, which kube-apiserver drops silently.
json::Value DropDisabledFields(json::Editor& edit, const json::Value& spec);

// Turns matchLabelKeys and mismatchLabelKeys of affinity and topology spread into requirements of their selectors. For new Pods.
json::Value ApplyLabelKeys(json::Editor& edit, const json::Value& pod);

// Returns the status of a new Pod: Pending, its QoS class, and the condition SchedulingGated if it has scheduling gates.
json::Value NewPodStatus(json::Editor& edit, const json::Value& pod);

}  // namespace allot::apiserver
