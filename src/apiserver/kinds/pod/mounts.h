#pragma once
// The rules for volume mounts of a container.

#include "apiserver/kinds/pod/volumes.h"

namespace allot::apiserver {

// Checks volumeMounts and volumeDevices of a container.
void CheckMounts(const FieldPath& field, const json::Value& container, const Volumes& volumes, FieldErrors& errors);

}  // namespace allot::apiserver
