#pragma once
// Strategic merge patch: a merge patch that knows which lists are merged item by item (Field::patch_merge), with directives for what a
// merge cannot express: $patch, $retainKeys, $setElementOrder/<list>, $deleteFromPrimitiveList/<list>.

#include "apiserver/schema/type.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// `type` is the object's. Refusals, like kube-apiserver's: 400 for a malformed directive, 422 for lists of lists, 500 for an unknown $patch
// or an item without its key. Unknown fields are kept: Normalize drops them.
Result<json::Value> ApplyStrategicPatch(json::Editor& edit, const Type& type, const json::Value& object, const json::Value& patch);

}  // namespace allot::apiserver
