#pragma once
// The rules for the environment of a container, and for what of the Pod it and volumes can show.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

void CheckEnvironment(const FieldPath& field, const json::Value& variables, FieldErrors& errors);    // `env`
void CheckEnvironmentFrom(const FieldPath& field, const json::Value& sources, FieldErrors& errors);  // `envFrom`

enum class ShownIn { kEnvironment, kVolume };
// A fieldRef: a field of the Pod.
void CheckFieldReference(const FieldPath& field, const json::Value& reference, ShownIn where, FieldErrors& errors);
// A resourceFieldRef: requests or limits of a container.
void CheckResourceReference(const FieldPath& field, const json::Value& reference, ShownIn where, FieldErrors& errors);

}  // namespace allot::apiserver
