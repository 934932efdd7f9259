#pragma once
// JSON merge patch (RFC 7386): objects are merged, null removes, everything else replaces.

#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// Refuses with 400 if `patch` is not an object.
Result<json::Value> ApplyMergePatch(json::Editor& edit, const json::Value& object, const json::Value& patch);

// Removes null members at every level, for a patch that adds an object where none was. Nulls in lists are values and stay.
json::Value WithoutNulls(json::Editor& edit, const json::Value& value);

}  // namespace allot::apiserver
