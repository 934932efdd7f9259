#include "cli/apply/versions.h"

#include "base/strings.h"
#include "json/json.h"
#include "kube/url.h"

namespace allot::cli {
namespace {

constexpr size_t kMany = 10;   // from here on a list is cheaper
constexpr size_t kPage = 500;  // objects
constexpr char kMetadata[] = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

}  // namespace

Versions::Versions(Session& session, const std::vector<Manifest>& manifests) : session_(session) {
  for (const Manifest& manifest : manifests) ++named_[{manifest.resource, manifest.namespace_name}];
}

Result<std::optional<std::string>> Versions::Of(const Manifest& manifest) {
  const Place place(manifest.resource, manifest.namespace_name);
  const std::string name(manifest.object->name());
  const auto found = known_.find(place);
  const bool listed = found == known_.end() ? List(manifest, named_[place]) : found->second.has_value();
  if (listed) {
    const std::map<std::string, std::string>& versions = *known_[place];
    const auto version = versions.find(name);
    return version == versions.end() ? std::optional<std::string>() : version->second;
  }
  const Result<kube::ObjectPtr> object = session_.client().Get(manifest.resource->type, manifest.namespace_name, name);
  if (object.ok()) return std::optional<std::string>((*object)->resource_version());
  const kube::ApiError* const error = kube::ApiErrorOf(object.status());
  if (error != nullptr && error->http_status == 404) return std::optional<std::string>();
  return object.status();
}

void Versions::Set(const Manifest& manifest, std::string version) {
  const auto found = known_.find({manifest.resource, manifest.namespace_name});
  if (found != known_.end() && found->second) (*found->second)[std::string(manifest.object->name())] = std::move(version);
}

// Returns false if a list is not worthwhile, not allowed, or longer than a few pages.
bool Versions::List(const Manifest& manifest, size_t named) {
  std::optional<std::map<std::string, std::string>>& known = known_[{manifest.resource, manifest.namespace_name}];
  if (named < kMany) return false;
  std::map<std::string, std::string> versions;
  std::string next;
  for (size_t page = 0; page < named / kMany + 1; ++page) {
    const std::string target = manifest.resource->type.CollectionPath(manifest.namespace_name) +
                               kube::WriteQuery({{"limit", std::to_string(kPage)}, {"continue", next}});
    const Result<http::Response> response =
        session_.client().Raw({"GET", target, {{"Accept", kMetadata}}, ""}, StrCat("list ", manifest.resource->type.FullName()));
    if (!response.ok()) return false;
    const Result<json::Document> document = json::Parse(response->body);
    if (!document.ok() || !document->root()["items"].IsArray()) return false;
    for (const json::Value& item : document->root()["items"].Items()) {
      const json::Value& metadata = item["metadata"];
      versions[std::string(kube::Object::Text(metadata["name"]))] = kube::Object::Text(metadata["resourceVersion"]);
    }
    next = kube::Object::Text(document->root()["metadata"]["continue"]);
    if (next.empty()) {
      known = std::move(versions);
      return true;
    }
  }
  return false;
}

}  // namespace allot::cli
