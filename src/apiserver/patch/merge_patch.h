#pragma once
// JSON merge patch (RFC 7386): objects are merged, null removes, everything else replaces.

#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// 400 where `patch` is no object.
Result<json::Value> ApplyMergePatch(json::Editor& edit, const json::Value& object, const json::Value& patch);

// Without members that are null, at every level: what a patch adds where there was nothing. Nulls within lists are values and stay.
json::Value WithoutNulls(json::Editor& edit, const json::Value& value);

}  // namespace allot::apiserver
