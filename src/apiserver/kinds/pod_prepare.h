#pragma once
// What the server itself writes into a new Pod.

#include "json/editor.h"

namespace allot::apiserver {

// The spec of a Pod without fields that are behind gates that are off in 1.36: kube-apiserver drops them silently.
json::Value DropDisabledFields(json::Editor& edit, const json::Value& spec);

// matchLabelKeys and mismatchLabelKeys of affinity and topology spread, as requirements of their selectors. For new Pods.
json::Value ApplyLabelKeys(json::Editor& edit, const json::Value& pod);

// The status of a new Pod: Pending, its QoS class, and that it is gated where it is.
json::Value NewPodStatus(json::Editor& edit, const json::Value& pod);

}  // namespace allot::apiserver
