#pragma once
// The rules for what a container mounts of its Pod's volumes.

#include "apiserver/kinds/pod_volumes.h"

namespace allot::apiserver {

// volumeMounts and volumeDevices of a container.
void CheckMounts(const FieldPath& field, const json::Value& container, const Volumes& volumes, FieldErrors& errors);

}  // namespace allot::apiserver
