#pragma once
// The status of a ResourceClaim: which devices it got, who uses them, and what their drivers say about them.

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

json::Value DefaultClaimStatus(json::Editor& edit, const json::Value& status);

// The claim without what drivers said about devices that `old` had and that it has no longer.
json::Value DropDeallocatedDevices(json::Editor& edit, const json::Value& claim, const json::Value& old);

// The status of `claim`, which replaces `old`. An allocation can come and go, but not change.
void CheckClaimStatus(const json::Value& claim, const json::Value& old, FieldErrors& errors);

}  // namespace allot::apiserver
