#pragma once
// Taints of devices, and the requests that tolerate them.

#include <span>

#include "model/claim.h"
#include "model/device.h"

namespace allot::alloc {

// The first taint that keeps a request with these tolerations from the device, or nullptr.
const model::Taint* PreventingTaint(const model::Device& device, std::span<const model::Toleration> tolerations);

}  // namespace allot::alloc
