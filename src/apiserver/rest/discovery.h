#pragma once
// Discovery: the groups, versions and kinds of the server, and their verbs.
//
// Pure: the same kinds give the same bytes, so a hash can be the ETag. Built-in groups come in the order of the table of kinds, then custom
// groups by name. The preferred version of a group comes first; resources are sorted by name.

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// The Kubernetes version of this API. Clients compare it with their own.
inline constexpr std::string_view kKubernetesVersion = "v1.36.4+allot";

std::string WriteApiVersions();                  // /api: APIVersions
std::string WriteGroupList(const Kinds& kinds);  // /apis: APIGroupList
// /apis/GROUP: APIGroup. Returns nullopt if there is no such group.
std::optional<std::string> WriteGroup(const Kinds& kinds, std::string_view group);
// /api/v1 (with an empty group) and /apis/GROUP/VERSION: APIResourceList. Returns nullopt if it is not served.
std::optional<std::string> WriteResourceList(const Kinds& kinds, std::string_view group, std::string_view version);

// Aggregated discovery, for clients that accept `...;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`. `version` is "v2" or "v2beta1".
enum class DiscoveryRoot { kApi, kApis };
std::string WriteAggregated(const Kinds& kinds, DiscoveryRoot root, std::string_view version);
// The Content-Type of aggregated discovery.
std::string AggregatedContentType(std::string_view version);

std::string WritePaths(const Kinds& kinds);  // /
std::string WriteVersion();                  // /version

}  // namespace allot::apiserver
