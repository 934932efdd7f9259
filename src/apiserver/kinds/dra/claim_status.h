#pragma once
// The status of a ResourceClaim: its devices, the Pods it is reserved for, and the drivers' device statuses.

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

json::Value DefaultClaimStatus(json::Editor& edit, const json::Value& status);

// Removes the device statuses of devices that `old` had allocated and `claim` has not.
json::Value DropDeallocatedDevices(json::Editor& edit, const json::Value& claim, const json::Value& old);

// Checks the status of `claim`, which replaces `old`. An allocation can be set and removed, but not changed.
void CheckClaimStatus(const json::Value& claim, const json::Value& old, FieldErrors& errors);

}  // namespace allot::apiserver
