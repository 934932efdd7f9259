#pragma once
// Which kinds a server has, and which of them a person means by "pods", "po", "Pod", "claims" or "resourceclaims.v1.resource.k8s.io".

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

// The kinds of `types::` as every server has them, with the short names of kubectl and four of ours: claims, slices, classes, templates.
std::span<const ApiResource> KnownResources();

// All kinds of a server: the core group first, then groups and versions as the server prefers them. Not those without `list` or `get`.
// Asks for the aggregated form (Kubernetes 1.26 and newer), and reads the old form, group by group, where the server answers with that.
// A group that cannot be read (its own server is away) is passed over.
Result<std::vector<ApiResource>> Discover(Client& client, const http::Patience& patience = {});

// The kinds of an aggregated answer, appended. kUnavailable when `root` is something else.
Status ReadAggregated(const json::Value& root, std::vector<ApiResource>& resources);
// The kinds of one APIResourceList (old form), appended.
Status ReadResourceList(const json::Value& root, std::vector<ApiResource>& resources);

// The kind that `text` means: a plural, singular or kind in any case, or a short name; with ".group" (which may be cut short) or
// ".version.group". The first that fits in the order of `resources`, names before short names. nullptr: none.
const ApiResource* FindResource(std::span<const ApiResource> resources, std::string_view text);
// The kinds of the category ("all"), each once.
std::vector<const ApiResource*> FindCategory(std::span<const ApiResource> resources, std::string_view category);
// The kind of an object; nullptr: none.
const ApiResource* FindKind(std::span<const ApiResource> resources, std::string_view api_version, std::string_view kind);
// The name that is closest to `text`; empty where none is close.
std::string SuggestResource(std::span<const ApiResource> resources, std::string_view text);
// How many letters must be added, dropped, replaced or swapped with the next to make `b` of `a`.
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace allot::kube
