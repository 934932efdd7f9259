#pragma once
// The actual cost of a call: the units of the estimate, computed from real sizes.

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/eval/value.h"

namespace allot::cel {

using CostRule = uint64_t (*)(std::span<const Value> args, const Value& result);

// Returned where Kubernetes' own rule fails on an argument that is an error: the whole evaluation fails, even inside ||.
inline constexpr uint64_t kCostPanic = UINT64_MAX;

// `overload` is empty if the overload is chosen at run time.
CostRule RuleFor(std::string_view function, std::string_view overload);

}  // namespace allot::cel
