#pragma once
// The priority classes that every cluster has.

#include <cstdint>
#include <span>
#include <string_view>

namespace allot::apiserver {

struct SystemPriorityClass {
  std::string_view name;
  int64_t value;
  std::string_view description;
};
// Kubernetes' own: "system-node-critical" and "system-cluster-critical".
std::span<const SystemPriorityClass> SystemPriorityClasses();

}  // namespace allot::apiserver
