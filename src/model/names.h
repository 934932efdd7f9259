#pragma once
// The syntax of names and labels in Kubernetes.

#include <string_view>

namespace allot::model {

// [prefix/]name: a DNS subdomain of at most 253 bytes, then 1 to 63 of [A-Za-z0-9_.-] that begin and end with a letter or digit.
bool IsLabelKey(std::string_view text);

// Empty, or as the name of a label key.
bool IsLabelValue(std::string_view text);

// 1 to 253 bytes: labels of [a-z0-9-] that begin and end with a letter or digit, joined by dots.
bool IsDnsSubdomain(std::string_view text);

}  // namespace allot::model
