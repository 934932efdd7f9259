#pragma once
// Which changes of an object matter to the scheduler. Heartbeats and the status fields of other components do not.

#include "json/value.h"

namespace allot::control {

// True for changes of labels, spec (taints, cordons) and allocatable amounts.
bool NodeChanged(const json::Value& before, const json::Value& after);
// True for changes of spec, labels, claims, deletion, and when the Pod ends.
bool PodChanged(const json::Value& before, const json::Value& after);

}  // namespace allot::control
