#include "kube/discovery.h"

#include <algorithm>

#include "base/edit_distance.h"
#include "base/strings.h"
#include "json/json.h"

namespace allot::kube {
namespace {

constexpr char kAggregated[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

std::string StringOf(const json::Value& value) { return std::string(Object::Text(value)); }

std::vector<std::string> Texts(const json::Value& list) {
  std::vector<std::string> texts;
  if (!list.IsArray()) return texts;
  for (const json::Value& item : list.Items()) texts.push_back(StringOf(item));
  return texts;
}

bool Has(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// Skips subresources and kinds that can only be created (reviews): there are no stored objects to show.
void Keep(ApiResource resource, std::vector<ApiResource>& resources) {
  if (resource.type.plural.empty() || resource.type.plural.find('/') != std::string::npos) return;
  if (!Has(resource.verbs, "get") && !Has(resource.verbs, "list")) return;
  if (resource.singular.empty()) resource.singular = Lower(resource.type.kind);
  resources.push_back(std::move(resource));
}

Result<json::Document> Fetch(Client& client, const std::string& target, std::string_view accept, const Patience& patience) {
  const std::string what = StrCat("discover ", target);
  ASSIGN_OR_RETURN(const http::Response response, client.Raw({"GET", target, {{"Accept", std::string(accept)}}, ""}, what, patience));
  return json::Parse(response.body).Context(what, ": the answer");
}

// Reads the old form: one request for each version of each group.
Status ReadOldForm(Client& client, const json::Value& root, std::vector<ApiResource>& resources, const Patience& patience) {
  std::vector<std::string> targets;
  for (const std::string& version : Texts(root["versions"])) targets.push_back(StrCat("/api/", version));
  for (const json::Value& group : ItemsOf(root["groups"])) {
    const std::string preferred = StringOf(group["preferredVersion"]["groupVersion"]);
    if (!preferred.empty()) targets.push_back(StrCat("/apis/", preferred));
    for (const json::Value& version : ItemsOf(group["versions"])) {
      if (const std::string name = StringOf(version["groupVersion"]); name != preferred) targets.push_back(StrCat("/apis/", name));
    }
  }
  for (const std::string& target : targets) {
    const Result<json::Document> list = Fetch(client, target, "application/json", patience);
    if (!list.ok() && ApiErrorOf(list.status()) == nullptr) return list.status();
    if (list.ok()) TRY(ReadResourceList(list->root(), resources).Context("discover ", target));
  }
  return Status();
}

struct Wanted {
  std::string name, version, group;
};

bool MatchesName(const ApiResource& resource, std::string_view name) {
  return name == resource.type.plural || name == resource.singular || name == Lower(resource.type.kind);
}

template <typename Matches>
const ApiResource* First(std::span<const ApiResource> resources, const Matches& matches) {
  const auto found = std::find_if(resources.begin(), resources.end(), matches);
  return found == resources.end() ? nullptr : &*found;
}

const ApiResource* FindWanted(std::span<const ApiResource> resources, const Wanted& wanted) {
  const auto version = [&](const ApiResource& r) { return wanted.version.empty() || r.type.version == wanted.version; };
  const auto exact = [&](const ApiResource& r) { return wanted.group.empty() || r.type.group == wanted.group; };
  const auto prefix = [&](const ApiResource& r) { return r.type.group.starts_with(wanted.group); };
  const auto name = [&](const ApiResource& r) { return MatchesName(r, wanted.name); };
  const auto short_name = [&](const ApiResource& r) { return Has(r.short_names, wanted.name); };
  for (const bool by_short_name : {false, true}) {
    const auto named = [&](const ApiResource& r) { return by_short_name ? short_name(r) : name(r); };
    if (const auto* found = First(resources, [&](const ApiResource& r) { return named(r) && version(r) && exact(r); })) return found;
    if (const auto* found = First(resources, [&](const ApiResource& r) { return named(r) && version(r) && prefix(r); })) return found;
  }
  return nullptr;
}

}  // namespace

std::span<const ApiResource> KnownResources() {
  using namespace types;
  static const std::vector<std::string> verbs = {"get", "list", "watch"};
  static const std::vector<ApiResource> known = {
      {kPods, "pod", {"po"}, {"all"}, verbs},
      {kNodes, "node", {"no"}, {}, verbs},
      {kNamespaces, "namespace", {"ns"}, {}, verbs},
      {kEvents, "event", {"ev"}, {}, verbs},
      {kConfigMaps, "configmap", {"cm"}, {}, verbs},
      {kLeases, "lease", {}, {}, verbs},
      {kResourceClaims, "resourceclaim", {"claims", "claim"}, {}, verbs},
      {kResourceClaimTemplates, "resourceclaimtemplate", {"templates", "template"}, {}, verbs},
      {kResourceSlices, "resourceslice", {"slices", "slice"}, {}, verbs},
      {kDeviceClasses, "deviceclass", {"classes", "class"}, {}, verbs},
  };
  return known;
}

Status ReadAggregated(const json::Value& root, std::vector<ApiResource>& resources) {
  if (Object::Text(root["kind"]) != "APIGroupDiscoveryList") {
    return Unavailable("the answer is of kind ", Quoted(Object::Text(root["kind"])), ", not APIGroupDiscoveryList");
  }
  for (const json::Value& group : ItemsOf(root["items"])) {
    for (const json::Value& version : ItemsOf(group["versions"])) {
      for (const json::Value& one : ItemsOf(version["resources"])) {
        ApiResource resource;
        resource.type.group = StringOf(group["metadata"]["name"]);
        resource.type.version = StringOf(version["version"]);
        resource.type.plural = StringOf(one["resource"]);
        resource.type.kind = StringOf(one["responseKind"]["kind"]);
        resource.type.namespaced = Object::Text(one["scope"]) == "Namespaced";
        resource.singular = StringOf(one["singularResource"]);
        resource.short_names = Texts(one["shortNames"]);
        resource.categories = Texts(one["categories"]);
        resource.verbs = Texts(one["verbs"]);
        Keep(std::move(resource), resources);
      }
    }
  }
  return Status();
}

Status ReadResourceList(const json::Value& root, std::vector<ApiResource>& resources) {
  if (Object::Text(root["kind"]) != "APIResourceList") {
    return Unavailable("the answer is of kind ", Quoted(Object::Text(root["kind"])), ", not APIResourceList");
  }
  const std::string_view group_version = Object::Text(root["groupVersion"]);
  const size_t slash = group_version.find('/');
  for (const json::Value& one : ItemsOf(root["resources"])) {
    ApiResource resource;
    resource.type.group = slash == group_version.npos ? "" : std::string(group_version.substr(0, slash));
    resource.type.version = slash == group_version.npos ? group_version : group_version.substr(slash + 1);
    resource.type.plural = StringOf(one["name"]);
    resource.type.kind = StringOf(one["kind"]);
    resource.type.namespaced = json::IsTrue(one["namespaced"]);
    resource.singular = StringOf(one["singularName"]);
    resource.short_names = Texts(one["shortNames"]);
    resource.categories = Texts(one["categories"]);
    resource.verbs = Texts(one["verbs"]);
    Keep(std::move(resource), resources);
  }
  return Status();
}

Result<std::vector<ApiResource>> Discover(Client& client, const Patience& patience) {
  std::vector<ApiResource> resources;
  for (const std::string target : {"/api", "/apis"}) {
    ASSIGN_OR_RETURN(const json::Document answer, Fetch(client, target, kAggregated, patience));
    if (Object::Text(answer.root()["kind"]) == "APIGroupDiscoveryList") {
      TRY(ReadAggregated(answer.root(), resources).Context("discover ", target));
    } else {
      TRY(ReadOldForm(client, answer.root(), resources, patience));
    }
  }
  return resources;
}

const ApiResource* FindResource(std::span<const ApiResource> resources, std::string_view text) {
  const std::string lower = Lower(text);
  const size_t dot = lower.find('.');
  Wanted wanted{lower.substr(0, dot), "", ""};
  if (dot == std::string::npos) return FindWanted(resources, wanted);
  const std::string rest = lower.substr(dot + 1);
  const size_t second = rest.find('.');
  if (second != std::string::npos) {
    wanted = {lower.substr(0, dot), rest.substr(0, second), rest.substr(second + 1)};
    if (const ApiResource* const found = FindWanted(resources, wanted)) return found;
  }
  wanted = {lower.substr(0, dot), "", rest};
  if (const ApiResource* const found = FindWanted(resources, wanted)) return found;
  // "pods.v1." means the core group.
  return First(resources, [&](const ApiResource& r) {
    return r.type.group.empty() && MatchesName(r, lower.substr(0, dot)) && rest == StrCat(r.type.version, ".");
  });
}

std::vector<const ApiResource*> FindCategory(std::span<const ApiResource> resources, std::string_view category) {
  std::vector<const ApiResource*> found;
  for (const ApiResource& resource : resources) {
    if (!Has(resource.categories, category) || !Has(resource.verbs, "list")) continue;
    const bool seen = std::any_of(found.begin(), found.end(), [&](const ApiResource* other) {
      return other->type.group == resource.type.group && other->type.plural == resource.type.plural;
    });
    if (!seen) found.push_back(&resource);
  }
  return found;
}

const ApiResource* FindKind(std::span<const ApiResource> resources, std::string_view api_version, std::string_view kind) {
  return First(resources, [&](const ApiResource& r) { return r.type.kind == kind && r.type.ApiVersion() == api_version; });
}

std::string SuggestResource(std::span<const ApiResource> resources, std::string_view text) {
  const std::string lower = Lower(text);
  std::string best;
  size_t best_distance = lower.size() < 5 ? 2 : 3;  // one letter off, or two in a longer word
  for (const ApiResource& resource : resources) {
    for (const std::string& name : {resource.type.plural, resource.singular}) {
      if (const size_t distance = EditDistance(lower, name); distance < best_distance) {
        best = name;
        best_distance = distance;
      }
    }
  }
  return best;
}

}  // namespace allot::kube
