#pragma once
// The rules for security contexts of Pods and containers.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// spec.securityContext, and the flags of the spec that it goes with.
void CheckPodSecurity(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors);

// securityContext of a container; `host_users` is the Pod's, true where it is not set.
void CheckContainerSecurity(const FieldPath& field, const json::Value& context, bool host_users, FieldErrors& errors);

// spec.os, and what must not be set on that system.
void CheckOperatingSystem(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors);

}  // namespace allot::apiserver
