#include "apiserver/rest/discovery.h"

#include <algorithm>
#include <map>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/rest/version_order.h"

namespace allot::apiserver {
namespace {

struct GroupVersion {
  std::string_view name;
  std::vector<const Kind*> kinds;  // by plural
};

struct Group {
  std::string_view name;
  bool custom = true;                  // all of its kinds are custom
  std::vector<GroupVersion> versions;  // the preferred one first
};

std::vector<Group> GroupsOf(const Kinds& kinds) {
  std::vector<Group> groups;
  std::map<std::string_view, size_t> places;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const Kind*>> served;
  for (const auto& kind : kinds.all()) {
    const auto [place, is_new] = places.try_emplace(kind->type.group, groups.size());
    if (is_new) groups.push_back({.name = kind->type.group, .versions = {}});
    if (!kind->custom) groups[place->second].custom = false;
    served[{kind->type.group, kind->type.version}].push_back(kind.get());
  }
  for (auto& [name, list] : served) {
    std::stable_sort(list.begin(), list.end(), [](const Kind* a, const Kind* b) { return a->type.plural < b->type.plural; });
    groups[places[name.first]].versions.push_back({.name = name.second, .kinds = std::move(list)});
  }
  for (Group& group : groups) {
    std::stable_sort(group.versions.begin(), group.versions.end(),
                     [](const GroupVersion& a, const GroupVersion& b) { return VersionBefore(a.name, b.name); });
  }
  const auto custom = std::stable_partition(groups.begin(), groups.end(), [](const Group& group) { return !group.custom; });
  std::sort(custom, groups.end(), [](const Group& a, const Group& b) { return a.name < b.name; });
  return groups;
}

std::string FullVersion(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : StrCat(group, "/", version);
}

Value Texts(Editor& edit, const std::vector<std::string>& texts) {
  std::vector<Value> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(edit.Literal(text));
  return edit.Array(items);
}

Value VerbsOf(Editor& edit, const Kind& kind) {
  const auto list = [&edit](std::initializer_list<std::string_view> verbs) {
    std::vector<Value> items;
    for (const std::string_view verb : verbs) items.push_back(edit.Literal(verb));
    return edit.Array(items);
  };
  if (kind.empty) return list({"get", "list", "watch"});
  return list({"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"});
}

std::vector<const Subresource*> SortedSubresources(const Kind& kind) {
  std::vector<const Subresource*> sorted;
  for (const Subresource& sub : kind.subresources) sorted.push_back(&sub);
  std::sort(sorted.begin(), sorted.end(), [](const Subresource* a, const Subresource* b) { return a->name < b->name; });
  return sorted;
}

// Returns the kind in a subresource's requests and responses.
kube::ResourceType TypeOf(const Kind& kind, const Subresource& sub) {
  if (sub.kind.empty()) return kind.type;
  return {.group = sub.group, .version = sub.version, .plural = "", .kind = sub.kind, .namespaced = kind.type.namespaced};
}

// Adds the members of an APIGroup after kind and apiVersion.
void AddGroup(Editor& edit, const Group& group, std::vector<json::Member>& members) {
  std::vector<Value> versions;
  for (const GroupVersion& version : group.versions) {
    versions.push_back(
        edit.Object({{"groupVersion", edit.String(FullVersion(group.name, version.name))}, {"version", edit.Literal(version.name)}}));
  }
  members.push_back({"name", edit.Literal(group.name)});
  members.push_back({"versions", edit.Array(versions)});
  members.push_back({"preferredVersion", versions.front()});
}

Value ResourceEntry(Editor& edit, const Kind& kind) {
  std::vector<json::Member> entry = {{"name", edit.Literal(kind.type.plural)},
                                     {"singularName", edit.Literal(kind.singular)},
                                     {"namespaced", edit.Bool(kind.type.namespaced)},
                                     {"kind", edit.Literal(kind.type.kind)},
                                     {"verbs", VerbsOf(edit, kind)}};
  if (!kind.short_names.empty()) entry.push_back({"shortNames", Texts(edit, kind.short_names)});
  if (!kind.categories.empty()) entry.push_back({"categories", Texts(edit, kind.categories)});
  return edit.Object(entry);
}

Value SubresourceEntry(Editor& edit, const Kind& kind, const Subresource& sub) {
  const kube::ResourceType type = TypeOf(kind, sub);
  std::vector<json::Member> entry = {{"name", edit.String(StrCat(kind.type.plural, "/", sub.name))},
                                     {"singularName", edit.Literal("")},
                                     {"namespaced", edit.Bool(kind.type.namespaced)}};
  if (type.group != kind.type.group || type.version != kind.type.version) {  // else those of the list apply
    entry.push_back({"group", edit.String(type.group)});
    entry.push_back({"version", edit.String(type.version)});
  }
  entry.push_back({"kind", edit.String(type.kind)});
  entry.push_back({"verbs", Texts(edit, sub.verbs)});
  return edit.Object(entry);
}

Value ResponseKind(Editor& edit, const kube::ResourceType& type) {
  return edit.Object({{"group", edit.String(type.group)}, {"version", edit.String(type.version)}, {"kind", edit.String(type.kind)}});
}

Value AggregatedResource(Editor& edit, const Kind& kind) {
  std::vector<json::Member> entry = {{"resource", edit.Literal(kind.type.plural)},
                                     {"responseKind", ResponseKind(edit, kind.type)},
                                     {"scope", edit.Literal(kind.type.namespaced ? "Namespaced" : "Cluster")},
                                     {"singularResource", edit.Literal(kind.singular)},
                                     {"verbs", VerbsOf(edit, kind)}};
  if (!kind.short_names.empty()) entry.push_back({"shortNames", Texts(edit, kind.short_names)});
  if (!kind.categories.empty()) entry.push_back({"categories", Texts(edit, kind.categories)});
  std::vector<Value> subresources;
  for (const Subresource* sub : SortedSubresources(kind)) {
    subresources.push_back(edit.Object({{"subresource", edit.Literal(sub->name)},
                                        {"responseKind", ResponseKind(edit, TypeOf(kind, *sub))},
                                        {"verbs", Texts(edit, sub->verbs)}}));
  }
  if (!subresources.empty()) entry.push_back({"subresources", edit.Array(subresources)});
  return edit.Object(entry);
}

Value AggregatedGroup(Editor& edit, const Group& group) {
  std::vector<Value> versions;
  for (const GroupVersion& version : group.versions) {
    std::vector<Value> resources;
    for (const Kind* kind : version.kinds) resources.push_back(AggregatedResource(edit, *kind));
    versions.push_back(edit.Object(
        {{"version", edit.Literal(version.name)}, {"resources", edit.Array(resources)}, {"freshness", edit.Literal("Current")}}));
  }
  const Value metadata = group.name.empty() ? edit.Object({}) : edit.Object({{"name", edit.Literal(group.name)}});
  return edit.Object({{"metadata", metadata}, {"versions", edit.Array(versions)}});
}

}  // namespace

std::string WriteApiVersions() { return R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]})"; }

std::string WriteGroupList(const Kinds& kinds) {
  json::Arena arena;
  Editor edit(arena);
  std::vector<Value> groups;
  for (const Group& group : GroupsOf(kinds)) {
    if (group.name.empty()) continue;
    std::vector<json::Member> members;
    AddGroup(edit, group, members);
    groups.push_back(edit.Object(members));
  }
  return json::Write(
      edit.Object({{"kind", edit.Literal("APIGroupList")}, {"apiVersion", edit.Literal("v1")}, {"groups", edit.Array(groups)}}));
}

std::optional<std::string> WriteGroup(const Kinds& kinds, std::string_view name) {
  if (name.empty()) return std::nullopt;
  json::Arena arena;
  Editor edit(arena);
  for (const Group& group : GroupsOf(kinds)) {
    if (group.name != name) continue;
    std::vector<json::Member> members = {{"kind", edit.Literal("APIGroup")}, {"apiVersion", edit.Literal("v1")}};
    AddGroup(edit, group, members);
    return json::Write(edit.Object(members));
  }
  return std::nullopt;
}

std::optional<std::string> WriteResourceList(const Kinds& kinds, std::string_view group, std::string_view version) {
  std::vector<const Kind*> served;
  for (const auto& kind : kinds.all()) {
    if (kind->type.group == group && kind->type.version == version) served.push_back(kind.get());
  }
  if (served.empty()) return std::nullopt;
  std::stable_sort(served.begin(), served.end(), [](const Kind* a, const Kind* b) { return a->type.plural < b->type.plural; });
  json::Arena arena;
  Editor edit(arena);
  std::vector<Value> resources;
  for (const Kind* kind : served) {
    resources.push_back(ResourceEntry(edit, *kind));
    for (const Subresource* sub : SortedSubresources(*kind)) resources.push_back(SubresourceEntry(edit, *kind, *sub));
  }
  return json::Write(edit.Object({{"kind", edit.Literal("APIResourceList")},
                                  {"apiVersion", edit.Literal("v1")},
                                  {"groupVersion", edit.String(FullVersion(group, version))},
                                  {"resources", edit.Array(resources)}}));
}

std::string WriteAggregated(const Kinds& kinds, DiscoveryRoot root, std::string_view version) {
  json::Arena arena;
  Editor edit(arena);
  const std::vector<Group> groups = GroupsOf(kinds);
  std::vector<Value> items;
  for (const Group& group : groups) {
    if (group.name.empty() == (root == DiscoveryRoot::kApi)) items.push_back(AggregatedGroup(edit, group));
  }
  return json::Write(edit.Object({{"kind", edit.Literal("APIGroupDiscoveryList")},
                                  {"apiVersion", edit.String(StrCat("apidiscovery.k8s.io/", version))},
                                  {"metadata", edit.Object({})},
                                  {"items", edit.Array(items)}}));
}

std::string AggregatedContentType(std::string_view version) {
  return StrCat("application/json;g=apidiscovery.k8s.io;v=", version, ";as=APIGroupDiscoveryList");
}

std::string WritePaths(const Kinds& kinds) {
  std::vector<std::string> paths = {"/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"};
  for (const Group& group : GroupsOf(kinds)) {
    if (!group.name.empty()) paths.push_back(StrCat("/apis/", group.name));
    for (const GroupVersion& version : group.versions) {
      paths.push_back(StrCat(group.name.empty() ? "/api/" : "/apis/", FullVersion(group.name, version.name)));
    }
  }
  std::sort(paths.begin(), paths.end());
  json::Arena arena;
  Editor edit(arena);
  return json::Write(edit.Object({{"paths", Texts(edit, paths)}}));
}

std::string WriteVersion() {
#if defined(__aarch64__)
  constexpr std::string_view kPlatform = "linux/arm64";
#else
  constexpr std::string_view kPlatform = "linux/amd64";
#endif
  return StrCat(R"({"major":"1","minor":"36","emulationMajor":"1","emulationMinor":"36","minCompatibilityMajor":"1",)",
                R"("minCompatibilityMinor":"35","gitVersion":")", kKubernetesVersion,
                R"(","gitCommit":"","gitTreeState":"","buildDate":"","goVersion":"","compiler":"","platform":")", kPlatform, R"("})");
}

}  // namespace allot::apiserver
