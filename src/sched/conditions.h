#pragma once
// Conditions of a Pod's status that allot's scheduler writes beside Kubernetes' own PodScheduled.

#include <string_view>

namespace allot::sched {

// "True": no node could take the Pod even if all other Pods ended. It says nothing about a Pod that has a node.
inline constexpr std::string_view kNeverFitsCondition = "allot.dev/NeverFits";

}  // namespace allot::sched
