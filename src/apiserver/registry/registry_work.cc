#include "apiserver/registry/registry_work.h"

#include <algorithm>

namespace allot::apiserver {

json::Value WithTypeInFront(json::Editor& edit, const Kind& kind, std::string_view api_version, const json::Value& object) {
  std::vector<json::Member> members = {{"kind", edit.String(kind.type.kind)}, {"apiVersion", edit.String(api_version)}};
  members.push_back({"metadata", object["metadata"].IsObject() ? object["metadata"] : edit.Object({})});
  for (const json::Member& member : json::MembersOf(object)) {
    if (member.key != "kind" && member.key != "apiVersion" && member.key != "metadata") members.push_back(member);
  }
  return edit.Object(members);
}

json::Value WithVersion(json::Editor& edit, const json::Value& object, const json::Value& version) {
  static constexpr std::string_view kBefore[] = {"name", "generateName", "namespace", "uid"};
  const json::Value& metadata = object["metadata"];
  std::vector<json::Member> members;
  for (const std::string_view key : kBefore) {
    if (!metadata[key].IsNull()) members.push_back({key, metadata[key]});
  }
  members.push_back({"resourceVersion", version});
  for (const json::Member& member : json::MembersOf(metadata)) {
    const bool before = std::find(std::begin(kBefore), std::end(kBefore), member.key) != std::end(kBefore);
    if (!before && member.key != "resourceVersion") members.push_back(member);
  }
  return edit.Set(object, "metadata", edit.Object(members));
}

}  // namespace allot::apiserver
