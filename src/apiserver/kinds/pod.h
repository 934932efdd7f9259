#pragma once
// Pods: what may change, and what their subresources may write. The rest of their rules is in pod_*.h.

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

// Of the subresource ephemeralcontainers: what is kept of a body, and the rules. Containers may be added, and nothing else.
json::Value PrepareEphemeralContainers(json::Editor& edit, const json::Value& object, const json::Value& old);
void ValidateEphemeralContainersUpdate(const json::Value& object, const json::Value& old, FieldErrors& errors);

// Of a whole Pod, new or changed, without what an update may not change.
void CheckPod(const json::Value& pod, FieldErrors& errors);
// What an update of the spec may change.
void CheckPodUpdate(const json::Value& pod, const json::Value& old, FieldErrors& errors);
// What a write of the status may change.
void CheckPodStatusUpdate(const json::Value& pod, const json::Value& old, FieldErrors& errors);
// Annotations that stay as they are.
void CheckPodAnnotationUpdate(const json::Value& pod, const json::Value& old, FieldErrors& errors);

}  // namespace allot::apiserver
