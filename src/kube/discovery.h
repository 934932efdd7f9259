#pragma once
// Discovers the kinds of a server, and finds the kind that a user means by "pods", "po", "Pod", "claims" or
// "resourceclaims.v1.resource.k8s.io".

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kube/client.h"
#include "kube/object.h"

namespace allot::kube {

struct ApiResource {
  ResourceType type;
  std::string singular;
  std::vector<std::string> short_names, categories, verbs;
};

// The kinds of `types::`, which every server has, with kubectl's short names and four of allot's: claims, slices, classes, templates.
std::span<const ApiResource> KnownResources();

// Returns all kinds of a server that have `list` or `get`: the core group first, then groups and versions in the server's order. Asks for
// the aggregated form (Kubernetes 1.26 and newer) and falls back to the old form, group by group. Skips a group that cannot be read, for
// example because its own server is down.
Result<std::vector<ApiResource>> Discover(Client& client, const Patience& patience = {});

// Appends the kinds of an aggregated response. Returns kUnavailable if `root` is something else.
Status ReadAggregated(const json::Value& root, std::vector<ApiResource>& resources);
// Appends the kinds of one APIResourceList (old form).
Status ReadResourceList(const json::Value& root, std::vector<ApiResource>& resources);

// Finds the kind that `text` means: a plural, singular or kind in any case, or a short name, optionally with ".group" (which may be
// abbreviated) or ".version.group". Returns the first match in the order of `resources`, names before short names, or nullptr.
const ApiResource* FindResource(std::span<const ApiResource> resources, std::string_view text);
// Returns the kinds of the category ("all"), each once.
std::vector<const ApiResource*> FindCategory(std::span<const ApiResource> resources, std::string_view category);
// Returns the kind of an object, or nullptr.
const ApiResource* FindKind(std::span<const ApiResource> resources, std::string_view api_version, std::string_view kind);
// Returns the name closest to `text`, or empty if none is close.
std::string SuggestResource(std::span<const ApiResource> resources, std::string_view text);

}  // namespace allot::kube
