#pragma once
// The rules for the volumes of a Pod.

#include <map>
#include <string_view>

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// The valid volumes, by name.
using Volumes = std::map<std::string_view, json::Value>;

// Checks spec.volumes. `pod_name` is empty for templates, and before a name is generated.
Volumes CheckVolumes(const FieldPath& field, const json::Value& volumes, std::string_view pod_name, bool is_pod, FieldErrors& errors);

// Checks the source of a projected volume.
void CheckProjectedVolume(const FieldPath& field, const json::Value& source, FieldErrors& errors);
// Checks one file of a downwardAPI volume.
void CheckDownwardFile(const FieldPath& field, const json::Value& file, FieldErrors& errors);
// Checks one item of a secret or configMap volume.
void CheckKeyToPath(const FieldPath& field, const json::Value& item, FieldErrors& errors);

}  // namespace allot::apiserver
