#pragma once
// How clients rank the versions of a group.

#include <string_view>

namespace allot::apiserver {

// True: a client prefers `a` to `b`: v2, v1, v2beta1, v1beta2, v1alpha1, then all that is named otherwise, by the alphabet.
bool VersionBefore(std::string_view a, std::string_view b);

}  // namespace allot::apiserver
