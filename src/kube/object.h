#pragma once
// An object of the Kubernetes API as it was read: immutable, shared by whoever looks at it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "json/value.h"

namespace allot::kube {

class Object {
 public:
  // `root`: the object, in the tree of `document`. `kept` is what the tree refers to besides.
  Object(json::Document document, const json::Value& root, std::shared_ptr<const void> kept = nullptr);

  const json::Value& json() const { return root_; }
  std::string_view api_version() const { return Text(root_["apiVersion"]); }
  std::string_view kind() const { return Text(root_["kind"]); }
  // Of metadata; empty where they are not set.
  std::string_view name() const { return name_; }
  std::string_view namespace_name() const { return namespace_; }
  std::string_view uid() const { return uid_; }
  std::string_view resource_version() const { return resource_version_; }
  std::string_view Label(std::string_view key) const { return Text(root_["metadata"]["labels"][key]); }
  std::string_view Annotation(std::string_view key) const { return Text(root_["metadata"]["annotations"][key]); }

  // The text, or nothing where the value is none.
  static std::string_view Text(const json::Value& value) { return value.IsString() ? value.AsString() : std::string_view(); }

 private:
  std::shared_ptr<const void> kept_;
  json::Document document_;
  json::Value root_;
  std::string_view name_, namespace_, uid_, resource_version_;
};

using ObjectPtr = std::shared_ptr<const Object>;

// Its resourceVersion as a number, which grows with every change: Kubernetes 1.35 and later promise that. Nothing for what is none.
std::optional<uint64_t> VersionNumber(const Object& object);

// "namespace/name", or "name" of what has no namespace.
std::string KeyOf(const Object& object);

// A copy of `value` in a tree of its own, without the member of metadata that is named. REQUIRES an object.
ObjectPtr CopyObject(const json::Value& value, std::string_view without_metadata = "");

// A kind of object and where the API has it.
struct ResourceType {
  std::string group;  // empty: the core group
  std::string version, plural, kind;
  bool namespaced = true;

  std::string ApiVersion() const { return group.empty() ? version : StrCat(group, "/", version); }
  // "pods", "resourceclaims.resource.k8s.io"
  std::string FullName() const { return group.empty() ? plural : StrCat(plural, ".", group); }
  // "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims". With an empty namespace: all of them.
  std::string CollectionPath(std::string_view namespace_name) const;
  // "…/resourceclaims/half/status". REQUIRES a name.
  std::string ObjectPath(std::string_view namespace_name, std::string_view name, std::string_view subresource = "") const;
};

// The kinds that allot works with.
namespace types {
extern const ResourceType kPods, kNodes, kNamespaces, kEvents, kConfigMaps, kLeases, kResourceClaims, kResourceClaimTemplates,
    kResourceSlices, kDeviceClasses;
}

}  // namespace allot::kube
