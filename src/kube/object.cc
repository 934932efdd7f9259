#include "kube/object.h"

#include "base/check.h"
#include "json/builder.h"
#include "kube/url.h"

namespace allot::kube {
namespace {

// The bytes that Copy takes of the arena, with alignment.
size_t SizeOf(const json::Value& value) {
  constexpr size_t kAlign = 8;
  switch (value.kind()) {
    case json::Kind::kString: return value.AsString().size();
    case json::Kind::kNumber: return value.NumberText().size();
    case json::Kind::kArray: {
      size_t size = value.Items().size() * sizeof(json::Value) + kAlign;
      for (const json::Value& item : value.Items()) size += SizeOf(item);
      return size;
    }
    case json::Kind::kObject: {
      size_t size = value.Members().size() * sizeof(json::Member) + kAlign;
      for (const json::Member& member : value.Members()) size += member.key.size() + SizeOf(member.value);
      return size;
    }
    default: return 0;
  }
}

void Copy(json::Builder& builder, const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull: builder.Null(); break;
    case json::Kind::kBool: builder.Bool(value.AsBool()); break;
    case json::Kind::kNumber: builder.Number(value.NumberText()); break;
    case json::Kind::kString: builder.String(value.AsString()); break;
    case json::Kind::kArray:
      builder.StartArray();
      for (const json::Value& item : value.Items()) Copy(builder, item);
      builder.EndArray();
      break;
    case json::Kind::kObject:
      builder.StartObject();
      for (const json::Member& member : value.Members()) {
        builder.Key(member.key);
        Copy(builder, member.value);
      }
      builder.EndObject();
      break;
  }
}

}  // namespace

Object::Object(json::Document document, const json::Value& root) : document_(std::move(document)), root_(root) {
  const json::Value& metadata = root_["metadata"];
  name_ = Text(metadata["name"]);
  namespace_ = Text(metadata["namespace"]);
  uid_ = Text(metadata["uid"]);
  resource_version_ = Text(metadata["resourceVersion"]);
}

std::string KeyOf(const Object& object) {
  return object.namespace_name().empty() ? std::string(object.name()) : StrCat(object.namespace_name(), "/", object.name());
}

ObjectPtr CopyObject(const json::Value& value, std::string_view without_metadata) {
  const size_t left_out = SizeOf(value["metadata"][without_metadata]);
  auto arena = std::make_unique<json::Arena>(std::max<size_t>(SizeOf(value) - left_out, 64));
  json::Builder builder(*arena);
  builder.StartObject();
  for (const json::Member& member : value.Members()) {
    builder.Key(member.key);
    if (member.key != "metadata" || !member.value.IsObject()) {
      Copy(builder, member.value);
      continue;
    }
    builder.StartObject();
    for (const json::Member& one : member.value.Members()) {
      if (one.key == without_metadata) continue;
      builder.Key(one.key);
      Copy(builder, one.value);
    }
    builder.EndObject();
  }
  builder.EndObject();
  CHECK(builder.status().ok());  // what was read within the limits is copied within them
  const json::Value root = builder.Finish();
  return std::make_shared<Object>(json::Document(std::move(arena), root), root);
}

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
