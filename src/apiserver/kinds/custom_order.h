#pragma once
// The order of members in custom objects: sorted at every depth, as kube-apiserver writes them. So equal objects have equal bytes.

#include "json/editor.h"

namespace allot::apiserver {

// The value with sorted members. Nothing is copied where they are already.
json::Value WithSortedMembers(json::Editor& edit, const json::Value& value);

}  // namespace allot::apiserver
