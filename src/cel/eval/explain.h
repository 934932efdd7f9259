#pragma once
// Explains why a selector does not select a device.

#include <string_view>

#include "cel/compile/planner.h"
#include "cel/compile/source.h"
#include "cel/program.h"
#include "model/device.h"

namespace allot::cel {

// Examines the first term of the outermost && that is not true. All members are empty if every term is true.
NotTrue ExplainPlan(const Plan& plan, const Source& source, const model::Device& device, std::string_view driver, uint64_t cost_limit);

}  // namespace allot::cel
