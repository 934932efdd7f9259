#include "apiserver/kinds/custom/kind.h"

#include <algorithm>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/columns.h"
#include "apiserver/kinds/custom/type.h"
#include "apiserver/rest/version_order.h"
#include "base/strings.h"

namespace allot::apiserver {
namespace {

std::vector<std::string> Texts(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : json::ItemsOf(list)) texts.emplace_back(json::TextOf(item));
  return texts;
}

// Splits ".spec.replicas".
std::vector<std::string> ReadPath(std::string_view text) {
  if (text.starts_with('.')) text.remove_prefix(1);
  std::vector<std::string> path;
  if (text.empty()) return path;
  for (const std::string_view key : Split(text, '.')) path.emplace_back(key);
  return path;
}

std::optional<CustomScale> ReadScale(const Value& scale) {
  if (!scale.IsObject()) return std::nullopt;
  CustomScale read;
  read.spec_replicas = ReadPath(json::TextOf(scale["specReplicasPath"]));
  read.status_replicas = ReadPath(json::TextOf(scale["statusReplicasPath"]));
  read.selector = ReadPath(json::TextOf(scale["labelSelectorPath"]));
  return read;
}

// Returns the name used in OpenAPI: "com.example.v1.Thing".
std::string TypeName(const kube::ResourceType& type) {
  std::vector<std::string_view> labels = Split(type.group, '.');
  std::reverse(labels.begin(), labels.end());
  std::string name;
  for (const std::string_view label : labels) name += StrCat(label, ".");
  return StrCat(name, type.version, ".", type.kind);
}

void ReadSubresources(const Value& subresources, Kind& kind) {
  if (subresources["status"].IsObject()) {
    kind.has_status = kind.status_is_all = true;
    kind.subresources.push_back({"status", "", "", "", {"get", "patch", "update"}});
  }
  if (subresources["scale"].IsObject()) {
    kind.subresources.push_back({"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}});
  }
}

// Returns the warning for clients of a deprecated version: the definition's text, or advice to use the best served version that is newer.
std::string DeprecationOf(const Value& spec, const Value& version) {
  if (!json::IsTrue(version["deprecated"])) return "";
  if (!version["deprecationWarning"].IsNull()) return std::string(json::TextOf(version["deprecationWarning"]));
  const std::string_view group = json::TextOf(spec["group"]), own = json::TextOf(version["name"]),
                         kind = json::TextOf(spec["names"]["kind"]);
  std::string_view best = own;
  for (const Value& other : json::ItemsOf(spec["versions"])) {
    const std::string_view name = json::TextOf(other["name"]);
    if (json::IsTrue(other["served"]) && !json::IsTrue(other["deprecated"]) && VersionBefore(name, best)) best = name;
  }
  const std::string text = StrCat(group, "/", own, " ", kind, " is deprecated");
  return best == own ? text : StrCat(text, "; use ", group, "/", best, " ", kind);
}

std::shared_ptr<const Kind> MakeKind(const Value& spec, const Value& version, std::string_view storage) {
  auto kind = std::make_shared<Kind>();
  const Value& names = spec["names"];
  kind->type.group = json::TextOf(spec["group"]);
  kind->type.version = json::TextOf(version["name"]);
  kind->type.plural = json::TextOf(names["plural"]);
  kind->type.kind = json::TextOf(names["kind"]);
  kind->type.namespaced = json::TextOf(spec["scope"]) == "Namespaced";
  kind->singular = json::TextOf(names["singular"]);
  kind->list_kind = json::TextOf(names["listKind"]);
  kind->short_names = Texts(names["shortNames"]);
  kind->categories = Texts(names["categories"]);
  kind->has_generation = true;
  kind->unconditional_update = false;
  kind->status_is_all = true;
  kind->custom = true;
  kind->storage_version = storage;
  kind->deprecation = DeprecationOf(spec, version);
  ReadSubresources(version["subresources"], *kind);

  CustomKindRules::Parts parts;
  parts.api_version = kind->ApiVersion();
  parts.kind = kind->type.kind;
  parts.schema = ReadCustomSchema(version["schema"]["openAPIV3Schema"]);
  parts.scale = ReadScale(version["subresources"]["scale"]);
  CustomType type = MakeCustomType(*parts.schema, TypeName(kind->type));
  kind->schema = type.type;
  kind->schema_owner = std::move(type.owner);
  kind->rules = std::make_shared<const CustomKindRules>(std::move(parts));

  for (const Value& field : json::ItemsOf(version["selectableFields"])) {
    std::vector<std::string> path = ReadPath(json::TextOf(field["jsonPath"]));
    kind->selectable.push_back({Join(path, "."), path, ""});
  }
  CustomColumns columns = MakeCustomColumns(version["additionalPrinterColumns"]);
  kind->columns = std::move(columns.columns);
  kind->row = std::move(columns.row);
  return kind;
}

}  // namespace

Result<std::vector<std::shared_ptr<const Kind>>> KindsOf(const Value& definition) {
  const Value& spec = definition["spec"];
  if (json::TextOf(spec["group"]).empty() || json::TextOf(spec["names"]["plural"]).empty() || json::TextOf(spec["names"]["kind"]).empty()) {
    return Invalid("spec: a definition needs a group, names.plural and names.kind");
  }
  std::string_view storage;
  for (const Value& version : json::ItemsOf(spec["versions"])) {
    if (json::IsTrue(version["storage"])) storage = json::TextOf(version["name"]);
  }
  std::vector<std::shared_ptr<const Kind>> kinds;
  for (const Value& version : json::ItemsOf(spec["versions"])) {
    if (json::IsTrue(version["served"])) kinds.push_back(MakeKind(spec, version, storage));
  }
  return kinds;
}

}  // namespace allot::apiserver
