#pragma once
// JSON patch (RFC 6902): a list of operations that are done one after the other, or not at all.
//
// As kube-apiserver does it: an index below zero counts from the end, `replace` of a key that an object lacks adds it. Members of the
// objects that a patch touches come out sorted by name.

#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// Refusals: 400 where `patch` is no list of operations, 413 above 10000 of them or 3 MiB of copies, 422 where one cannot be done or a test
// fails.
Result<json::Value> ApplyJsonPatch(json::Editor& edit, const json::Value& object, const json::Value& patch);

}  // namespace allot::apiserver
