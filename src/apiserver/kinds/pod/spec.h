#pragma once
// The rules for the spec of a Pod, also inside a template.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// `field` is that of the spec. `metadata` is the Pod's; null for a template.
void CheckPodSpec(const FieldPath& field, const json::Value& spec, const json::Value& metadata, FieldErrors& errors);

// Checks annotations with a meaning for Pods. `field` is that of the annotations.
void CheckPodAnnotations(const FieldPath& field, const json::Value& annotations, const json::Value& spec, FieldErrors& errors);

// Marks a mirror Pod: the kubelet's representation of one of its own Pods in the API.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

}  // namespace allot::apiserver
