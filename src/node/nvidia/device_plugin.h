#pragma once
// Finds NVIDIA's device plugin on the same node. Two ledgers for one GPU would over-commit it, so allot offers nothing beside the plugin.

#include "base/status.h"
#include "json/value.h"

namespace allot::node::nvidia {

// Ok if no device plugin serves this node's GPUs. kUnavailable names the resource and says how to take over. `node` is the Node object.
Status CheckDevicePlugin(const json::Value& node);

}  // namespace allot::node::nvidia
