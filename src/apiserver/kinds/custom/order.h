#pragma once
// The order of members in custom objects: sorted at every depth, as kube-apiserver writes them, so equal objects have equal bytes.

#include "json/editor.h"

namespace allot::apiserver {

// Returns the value with sorted members. Copies nothing if they are already sorted.
json::Value WithSortedMembers(json::Editor& edit, const json::Value& value);

}  // namespace allot::apiserver
