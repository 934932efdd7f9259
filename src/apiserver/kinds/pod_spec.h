#pragma once
// The rules for the spec of a Pod, wherever it is.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// `field` is that of the spec; `metadata` that of its Pod, null of a template.
void CheckPodSpec(const FieldPath& field, const json::Value& spec, const json::Value& metadata, FieldErrors& errors);

// Annotations that mean something to Pods; `field` is theirs.
void CheckPodAnnotations(const FieldPath& field, const json::Value& annotations, const json::Value& spec, FieldErrors& errors);

// The kubelet's own Pods, which it shows to the API, have this annotation.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

}  // namespace allot::apiserver
