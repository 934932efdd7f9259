#pragma once
// A device and a set of counters in a ResourceSlice.

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

struct DeviceRules {
  // Devices choose their nodes themselves: the slice has perDeviceNodeSelection.
  bool chooses_nodes = false;
  // The taints are those that the device had before, and are not checked again.
  bool same_taints = false;
};

void CheckDevice(const FieldPath& field, const json::Value& device, const DeviceRules& rules, FieldErrors& errors);

// An entry of `sharedCounters`.
void CheckCounterSet(const FieldPath& field, const json::Value& set, FieldErrors& errors);

// semver.org 2.0.0, with numbers of any length.
bool IsSemanticVersion(std::string_view text);

}  // namespace allot::apiserver
