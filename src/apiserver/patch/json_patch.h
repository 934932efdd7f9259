#pragma once
// JSON patch (RFC 6902): a list of operations, applied in order, all or none.
//
// Like kube-apiserver: a negative index counts from the end, and `replace` of a missing key adds it. Members of the objects that a patch
// touches come out sorted by name.

#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// Refusals: 400 if `patch` is not a list of operations, 413 above 10000 operations or 3 MiB of copies, 422 if an operation cannot be done
// or a test fails.
Result<json::Value> ApplyJsonPatch(json::Editor& edit, const json::Value& object, const json::Value& patch);

}  // namespace allot::apiserver
