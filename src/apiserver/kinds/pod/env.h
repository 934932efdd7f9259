#pragma once
// The rules for a container's environment, and for references to fields of the Pod in environments and volumes.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

void CheckEnvironment(const FieldPath& field, const json::Value& variables, FieldErrors& errors);    // `env`
void CheckEnvironmentFrom(const FieldPath& field, const json::Value& sources, FieldErrors& errors);  // `envFrom`

enum class ShownIn { kEnvironment, kVolume };
// Checks a fieldRef: a field of the Pod.
void CheckFieldReference(const FieldPath& field, const json::Value& reference, ShownIn where, FieldErrors& errors);
// Checks a resourceFieldRef: requests or limits of a container.
void CheckResourceReference(const FieldPath& field, const json::Value& reference, ShownIn where, FieldErrors& errors);

}  // namespace allot::apiserver
