#pragma once
// What Kubernetes fills in where a Pod, or the template of one, says nothing.

#include "json/editor.h"

namespace allot::apiserver {

// Of any spec of a Pod. Normalized, as everything here.
json::Value DefaultPodSpec(json::Editor& edit, const json::Value& spec);

// Of the whole Pod: its spec, and what templates do not get (requests from limits, service links, ports of the host's network).
json::Value DefaultPod(json::Editor& edit, const json::Value& pod);

}  // namespace allot::apiserver
