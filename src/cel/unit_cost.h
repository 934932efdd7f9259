#pragma once
// The functions of Kubernetes' libraries that cost one unit, in the estimate and in the evaluation.

#include <array>
#include <string_view>

namespace allot::cel {

inline constexpr auto kUnitCostFunctions = std::to_array<std::string_view>({
    "masked",
    "prefixLength",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "format.named",
    "sign",
    "asInteger",
    "isInteger",
    "asApproximateFloat",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "add",
    "sub",
    "major",
    "minor",
    "patch",
    "getScheme",
    "getHostname",
    "getHost",
    "getPort",
    "getEscapedPath",
    "getQuery",
});

}  // namespace allot::cel
