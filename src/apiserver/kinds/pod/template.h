#pragma once
// Pod templates of Deployments, ReplicaSets and Jobs.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

json::Value DefaultPodTemplate(json::Editor& edit, const json::Value& pod_template);
// Removes the fields of feature gates that are off.
json::Value PreparePodTemplate(json::Editor& edit, const json::Value& pod_template);
void CheckPodTemplate(const FieldPath& field, const json::Value& pod_template, FieldErrors& errors);

// Checks the selector and template of Deployments and ReplicaSets. `field` is that of their spec.
void CheckSelectorAndTemplate(const FieldPath& field, const json::Value& spec, FieldErrors& errors);

}  // namespace allot::apiserver
