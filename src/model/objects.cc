#include "model/objects.h"

#include "json/yaml.h"

namespace allot::model {
namespace {

template <typename T>
Status ReadInto(const json::Value& object, std::deque<T>& to) {
  ASSIGN_OR_RETURN(T read, T::Read(object));
  to.push_back(std::move(read));
  return Status();
}

}  // namespace

Status Objects::Add(std::string_view yaml) {
  ASSIGN_OR_RETURN(std::vector<json::Document> documents, json::ParseYaml(yaml));
  size_t number = 0;
  for (json::Document& document : documents) {
    documents_.push_back(std::move(document));
    TRY(Read(documents_.back().root()).Context("document ", ++number));
  }
  return Status();
}

Status Objects::Read(const json::Value& object) {
  if (!object.IsObject() || !object["kind"].IsString()) return Invalid("expected an object with a kind");
  const std::string_view kind = object["kind"].AsString();
  if (kind == "Node") return ReadInto(object, nodes);
  if (kind == "DeviceClass") return ReadInto(object, classes);
  if (kind == "ResourceSlice") return ReadInto(object, slices);
  if (kind == "ResourceClaim") return ReadInto(object, claims);
  return Unsupported("kind ", Quoted(kind), " is not one of Node, DeviceClass, ResourceSlice, ResourceClaim");
}

}  // namespace allot::model
