#pragma once
// The DeviceClasses that the Helm chart makes in a cluster: gpu.nvidia.com and mig.nvidia.com.

#include <string>
#include <vector>

#include "base/status.h"
#include "http/dial.h"
#include "kube/client.h"

namespace allot::local {

// Makes those that are missing, and names them; what is there stays as the admin has it.
Result<std::vector<std::string>> MakeDeviceClasses(kube::Client& client, const http::Patience& patience);

}  // namespace allot::local
