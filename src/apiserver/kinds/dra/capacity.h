#pragma once
// The capacity of a device in a ResourceSlice, and the policy that defines which amounts can be requested.

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

// Checks one entry of `capacity`. Only a device that several claims may share can have a policy.
void CheckDeviceCapacity(const FieldPath& field, const json::Value& capacity, bool shareable, FieldErrors& errors);

}  // namespace allot::apiserver
