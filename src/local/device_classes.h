#pragma once
// The DeviceClasses of the drivers, which the Helm chart creates in a cluster.

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "http/dial.h"
#include "kube/client.h"
#include "node/driver.h"

namespace allot::local {

// Creates missing classes, and returns their names. Never changes a class that exists: the admin may have edited it.
Result<std::vector<std::string>> MakeDeviceClasses(kube::Client& client, std::span<const node::DeviceClass> classes,
                                                   const Patience& patience);

}  // namespace allot::local
