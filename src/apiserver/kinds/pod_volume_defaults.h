#pragma once
// What Kubernetes fills in where a volume says nothing.

#include "json/editor.h"

namespace allot::apiserver {

// Of one item of spec.volumes. Without any source it is an emptyDir.
json::Value DefaultVolume(json::Editor& edit, const json::Value& volume);

}  // namespace allot::apiserver
