#pragma once
// What the server says about itself: which groups, versions and kinds it has, and what can be done with them.
//
// Pure: the same kinds give the same text, byte for byte, so that its hash can be the ETag. Built-in groups come in the order of the
// table of kinds, then custom ones by name; the versions of a group with the preferred one first; resources by name.

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// The version of Kubernetes whose API this is. Clients compare it with their own.
inline constexpr std::string_view kKubernetesVersion = "v1.36.4+allot";

std::string WriteApiVersions();                  // /api: APIVersions
std::string WriteGroupList(const Kinds& kinds);  // /apis: APIGroupList
// /apis/GROUP: APIGroup. Nothing: there is no such group.
std::optional<std::string> WriteGroup(const Kinds& kinds, std::string_view group);
// /api/v1 (the group is empty then) and /apis/GROUP/VERSION: APIResourceList. Nothing: not served.
std::optional<std::string> WriteResourceList(const Kinds& kinds, std::string_view group, std::string_view version);

// Everything at once, for who accepts `...;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`; `version` is "v2" or "v2beta1".
enum class DiscoveryRoot { kApi, kApis };
std::string WriteAggregated(const Kinds& kinds, DiscoveryRoot root, std::string_view version);
// The Content-Type of that.
std::string AggregatedContentType(std::string_view version);

std::string WritePaths(const Kinds& kinds);  // /
std::string WriteVersion();                  // /version

}  // namespace allot::apiserver
