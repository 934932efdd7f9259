#pragma once
// The rules for security contexts of Pods and containers.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// Checks spec.securityContext and the related flags of the spec.
void CheckPodSecurity(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors);

// Checks securityContext of a container. `host_users` is the Pod's; true if it is not set.
void CheckContainerSecurity(const FieldPath& field, const json::Value& context, bool host_users, FieldErrors& errors);

// Checks spec.os, and fields that must not be set on that operating system.
void CheckOperatingSystem(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors);

}  // namespace allot::apiserver
