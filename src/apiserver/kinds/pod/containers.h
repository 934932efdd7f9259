#pragma once
// The rules for containers, init containers and ephemeral containers of a Pod.

#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/pod/volumes.h"

namespace allot::apiserver {

// Checks spec.containers, spec.initContainers and spec.ephemeralContainers. `volumes` has the valid volumes.
void CheckAllContainers(const FieldPath& spec_field, const json::Value& spec, const Volumes& volumes, FieldErrors& errors);

// In Pods, unlike in templates, images must have no spaces around them.
void CheckImagesOfPod(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors);

}  // namespace allot::apiserver
