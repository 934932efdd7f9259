#pragma once
// The templates of Pods in Deployments, ReplicaSets and Jobs.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

json::Value DefaultPodTemplate(json::Editor& edit, const json::Value& pod_template);
// Without the fields that are behind gates that are off.
json::Value PreparePodTemplate(json::Editor& edit, const json::Value& pod_template);
void CheckPodTemplate(const FieldPath& field, const json::Value& pod_template, FieldErrors& errors);

// What Deployments and ReplicaSets ask of their selector and template; `field` is that of their spec.
void CheckSelectorAndTemplate(const FieldPath& field, const json::Value& spec, FieldErrors& errors);

}  // namespace allot::apiserver
