#pragma once
// The rules for the containers of a Pod, of all three sorts.

#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/pod_volumes.h"

namespace allot::apiserver {

// spec.containers, spec.initContainers and spec.ephemeralContainers; `volumes` are those that are right.
void CheckAllContainers(const FieldPath& spec_field, const json::Value& spec, const Volumes& volumes, FieldErrors& errors);

// Images of Pods, unlike those of templates, must be written without spaces around them.
void CheckImagesOfPod(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors);

}  // namespace allot::apiserver
