#pragma once
// The order in which clients prefer the versions of a group.

#include <string_view>

namespace allot::apiserver {

// Returns whether a client prefers `a` to `b`: v2, v1, v2beta1, v1beta2, v1alpha1, then all other names alphabetically.
bool VersionBefore(std::string_view a, std::string_view b);

}  // namespace allot::apiserver
