#pragma once
// Devices that are made ready only after they are allocated (attached through a fabric): their driver says in the claim's status when a Pod
// may be bound to them.

#include <chrono>

#include "base/clock.h"
#include "base/status.h"
#include "json/value.h"
#include "model/claim.h"

namespace allot::control {

inline constexpr std::chrono::seconds kBindingTimeout{600};  // from the allocation; kube-scheduler's default

// Whether the Pods of the claim, which has this allocation, may be bound. kUnavailable: not yet. kConflict: they never can be, since the
// driver says that it failed, or has not said anything in time.
Status CheckBindingConditions(const json::Value& claim, const model::Allocation& allocation, WallTime now);

}  // namespace allot::control
