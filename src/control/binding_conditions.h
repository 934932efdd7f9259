#pragma once
// Devices that get ready only after allocation (attached through a fabric). Their driver reports in the claim's status when a Pod may be
// bound.

#include <chrono>

#include "base/clock.h"
#include "base/status.h"
#include "json/value.h"
#include "model/claim.h"

namespace allot::control {

inline constexpr std::chrono::seconds kBindingTimeout{600};  // from the allocation; kube-scheduler's default

// Ok where Pods that use the claim with this allocation may be bound. kUnavailable: not yet. kConflict: never, because the driver reported
// a failure, or reported nothing in time.
Status CheckBindingConditions(const json::Value& claim, const model::Allocation& allocation, WallTime now);

}  // namespace allot::control
