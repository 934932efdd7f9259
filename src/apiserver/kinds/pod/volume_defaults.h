#pragma once
// The defaults of volumes.

#include "json/editor.h"

namespace allot::apiserver {

// Sets the defaults of one item of spec.volumes. A volume without a source is an emptyDir.
json::Value DefaultVolume(json::Editor& edit, const json::Value& volume);

}  // namespace allot::apiserver
