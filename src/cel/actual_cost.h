#pragma once
// What a call costs when it is made: the same units as the estimate, from the real sizes.

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/value.h"

namespace allot::cel {

using CostRule = uint64_t (*)(std::span<const Value> args, const Value& result);

// A rule gives this where Kubernetes' own rule breaks down on an argument that is an error: the evaluation fails, whatever || says.
inline constexpr uint64_t kCostPanic = UINT64_MAX;

// `overload` is empty when only the arguments at run time decide which overload is called.
CostRule RuleFor(std::string_view function, std::string_view overload);

}  // namespace allot::cel
