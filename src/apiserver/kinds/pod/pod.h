#pragma once
// Pods: which fields may change, and what subresources may write. pod_*.h has the other rules.

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

// For the subresource ephemeralcontainers: what is kept of a body, and its rules. It may only add containers.
json::Value PrepareEphemeralContainers(json::Editor& edit, const json::Value& object, const json::Value& old);
void ValidateEphemeralContainersUpdate(const json::Value& object, const json::Value& old, FieldErrors& errors);

// Validates a whole Pod, new or changed, except for immutable fields.
void CheckPod(const json::Value& pod, FieldErrors& errors);
// Checks which fields of the spec an update changes.
void CheckPodUpdate(const json::Value& pod, const json::Value& old, FieldErrors& errors);
// Checks what a write of the status changes.
void CheckPodStatusUpdate(const json::Value& pod, const json::Value& old, FieldErrors& errors);
// Checks annotations that may not change.
void CheckPodAnnotationUpdate(const json::Value& pod, const json::Value& old, FieldErrors& errors);

}  // namespace allot::apiserver
