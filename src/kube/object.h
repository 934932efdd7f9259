#pragma once
// An object of the Kubernetes API as it was read. Immutable and shared.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "json/value.h"

namespace allot::kube {

// A JSON document whose root is the object.
class Object : public json::Document {
 public:
  // `root` is the object within the tree of `document`. `shared` is the arena of parts that several objects share; nullptr: none.
  Object(json::Document document, const json::Value& root, std::shared_ptr<const json::Arena> shared = nullptr);

  const json::Value& json() const { return root(); }
  std::string_view api_version() const { return Text(json()["apiVersion"]); }
  std::string_view kind() const { return Text(json()["kind"]); }
  // From metadata; empty if not set.
  std::string_view name() const { return name_; }
  std::string_view namespace_name() const { return namespace_; }
  std::string_view uid() const { return uid_; }
  std::string_view resource_version() const { return resource_version_; }
  std::string_view Label(std::string_view key) const { return Text(json()["metadata"]["labels"][key]); }
  std::string_view Annotation(std::string_view key) const { return Text(json()["metadata"]["annotations"][key]); }

  // The text of a string; empty for other values.
  static std::string_view Text(const json::Value& value) { return value.IsString() ? value.AsString() : std::string_view(); }

 private:
  std::shared_ptr<const json::Arena> shared_;
  std::string_view name_, namespace_, uid_, resource_version_;
};

using ObjectPtr = std::shared_ptr<const Object>;

// Returns the resourceVersion as a number, which grows with every change (guaranteed since Kubernetes 1.35), or nullopt if it is not a
// number.
std::optional<uint64_t> VersionNumber(const Object& object);

// Returns "namespace/name", or "name" for a cluster-scoped object.
std::string KeyOf(const Object& object);

// Copies `value` into its own tree, without the named member of metadata. REQUIRES: an object.
ObjectPtr CopyObject(const json::Value& value, std::string_view without_metadata = "");

// A kind of object and its path in the API.
struct ResourceType {
  std::string group;  // empty: the core group
  std::string version, plural, kind;
  bool namespaced = true;

  std::string ApiVersion() const { return group.empty() ? version : StrCat(group, "/", version); }
  // "pods", "resourceclaims.resource.k8s.io"
  std::string FullName() const { return group.empty() ? plural : StrCat(plural, ".", group); }
  // "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims". An empty namespace means all namespaces.
  std::string CollectionPath(std::string_view namespace_name) const;
  // "…/resourceclaims/half/status". REQUIRES: a name.
  std::string ObjectPath(std::string_view namespace_name, std::string_view name, std::string_view subresource = "") const;
};

// The kinds that allot uses.
namespace types {
extern const ResourceType kPods, kNodes, kNamespaces, kEvents, kConfigMaps, kLeases, kResourceClaims, kResourceClaimTemplates,
    kResourceSlices, kDeviceClasses;
}

}  // namespace allot::kube
