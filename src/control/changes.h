#pragma once
// Which changes of an object matter to a scheduler: heartbeats, and what others write about their own affairs, do not.

#include "json/value.h"

namespace allot::control {

// Labels, taints, cordons, and what there is to allocate.
bool NodeChanged(const json::Value& before, const json::Value& after);
// What it asks for, its claims, whether it is placed, deleted or has ended.
bool PodChanged(const json::Value& before, const json::Value& after);

}  // namespace allot::control
