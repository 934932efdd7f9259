#pragma once
// Says why a selector does not select a device.

#include <string>
#include <string_view>

#include "cel/planner.h"
#include "cel/source.h"
#include "model/device.h"

namespace allot::cel {

// For the first term of the outermost && that is not true: what it read from the device, or its text. Empty when all are true.
std::string ExplainPlan(const Plan& plan, const Source& source, const model::Device& device, std::string_view driver, uint64_t cost_limit);

}  // namespace allot::cel
