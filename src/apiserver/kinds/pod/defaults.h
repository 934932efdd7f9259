#pragma once
// The defaults of Pods and Pod templates.

#include "json/editor.h"

namespace allot::apiserver {

// Sets the defaults of any Pod spec. The spec is normalized, like every object here.
json::Value DefaultPodSpec(json::Editor& edit, const json::Value& spec);

// Sets the defaults of a Pod: its spec, and what templates do not get (requests from limits, service links, ports of the host network).
json::Value DefaultPod(json::Editor& edit, const json::Value& pod);

}  // namespace allot::apiserver
