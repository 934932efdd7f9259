#pragma once
// Taints of devices and nodes, and the tolerations against them.

#include <span>

#include "model/claim.h"
#include "model/device.h"

namespace allot::alloc {

bool IsTolerated(const model::Taint& taint, std::span<const model::Toleration> tolerations);

// The first taint that keeps a request (or Pod) with these tolerations off the device (or node), or nullptr.
const model::Taint* PreventingTaint(std::span<const model::Taint> taints, std::span<const model::Toleration> tolerations);

}  // namespace allot::alloc
