#pragma once
// Strategic merge patch: a merge patch that knows which lists are merged item by item (Field::patch_merge), and has directives for what
// a merge cannot say: $patch, $retainKeys, $setElementOrder/<list>, $deleteFromPrimitiveList/<list>.

#include "apiserver/schema/type.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// `type` is the object's. Refusals: 400 for a directive of the wrong form, 422 for lists of lists, 500 for an unknown $patch or an item
// without its key, as kube-apiserver answers. Fields that the type lacks are taken as they are: Normalize drops them.
Result<json::Value> ApplyStrategicPatch(json::Editor& edit, const Type& type, const json::Value& object, const json::Value& patch);

}  // namespace allot::apiserver
