#pragma once
// Checks a device and a counter set of a ResourceSlice.

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

struct DeviceRules {
  // The slice has perDeviceNodeSelection: each device selects its nodes.
  bool chooses_nodes = false;
  // The taints are unchanged and not checked again.
  bool same_taints = false;
};

void CheckDevice(const FieldPath& field, const json::Value& device, const DeviceRules& rules, FieldErrors& errors);

// Checks an entry of `sharedCounters`.
void CheckCounterSet(const FieldPath& field, const json::Value& set, FieldErrors& errors);

// semver.org 2.0.0, with numbers of any length.
bool IsSemanticVersion(std::string_view text);

}  // namespace allot::apiserver
