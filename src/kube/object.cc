#include "kube/object.h"

#include <charconv>

#include "base/check.h"
#include "kube/object_pool.h"
#include "kube/url.h"

namespace allot::kube {
Object::Object(json::Document document, const json::Value& root, std::shared_ptr<const json::Arena> shared)
    : Document(std::move(document), root), shared_(std::move(shared)) {
  const json::Value& metadata = json()["metadata"];
  name_ = Text(metadata["name"]);
  namespace_ = Text(metadata["namespace"]);
  uid_ = Text(metadata["uid"]);
  resource_version_ = Text(metadata["resourceVersion"]);
}

std::optional<uint64_t> VersionNumber(const Object& object) {
  const std::string_view text = object.resource_version();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string KeyOf(const Object& object) {
  return object.namespace_name().empty() ? std::string(object.name()) : StrCat(object.namespace_name(), "/", object.name());
}

ObjectPtr CopyObject(const json::Value& value, std::string_view without_metadata) { return ObjectPool(0).Copy(value, without_metadata); }

std::string ResourceType::CollectionPath(std::string_view namespace_name) const {
  std::string path = group.empty() ? StrCat("/api/", version) : StrCat("/apis/", group, "/", version);
  if (namespaced && !namespace_name.empty()) path += StrCat("/namespaces/", EscapePath(namespace_name));
  return StrCat(path, "/", plural);
}

std::string ResourceType::ObjectPath(std::string_view namespace_name, std::string_view name, std::string_view subresource) const {
  CHECK(!name.empty());
  std::string path = StrCat(CollectionPath(namespace_name), "/", EscapePath(name));
  if (!subresource.empty()) path += StrCat("/", subresource);
  return path;
}

namespace types {
const ResourceType kPods{"", "v1", "pods", "Pod", true};
const ResourceType kNodes{"", "v1", "nodes", "Node", false};
const ResourceType kNamespaces{"", "v1", "namespaces", "Namespace", false};
const ResourceType kEvents{"", "v1", "events", "Event", true};
const ResourceType kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
const ResourceType kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};
const ResourceType kResourceClaims{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", true};
const ResourceType kResourceClaimTemplates{"resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", true};
const ResourceType kResourceSlices{"resource.k8s.io", "v1", "resourceslices", "ResourceSlice", false};
const ResourceType kDeviceClasses{"resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false};
}  // namespace types

}  // namespace allot::kube
