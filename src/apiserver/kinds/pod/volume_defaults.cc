#include "apiserver/kinds/pod/volume_defaults.h"

#include <string_view>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/image_name.h"
#include "apiserver/kinds/pod/resources.h"

namespace allot::apiserver {

namespace {

constexpr int64_t kDefaultMode = 0644;

Value WithApiVersion(Editor& edit, const Value& file) {
  const Value& ref = file["fieldRef"];
  return ref.IsNull() ? file : edit.Set(file, "fieldRef", edit.SetDefault(ref, "apiVersion", edit.Literal("v1")));
}

Value DefaultFiles(Editor& edit, const Value& source) {
  if (source["items"].IsNull()) return source;
  return edit.Set(source, "items", edit.Map(source["items"], [&](const Value& file) { return WithApiVersion(edit, file); }));
}

Value DefaultProjection(Editor& edit, const Value& projection) {
  Value result = projection;
  if (const Value& downward = projection["downwardAPI"]; !downward.IsNull()) {
    result = edit.Set(result, "downwardAPI", DefaultFiles(edit, downward));
  }
  if (const Value& token = projection["serviceAccountToken"]; !token.IsNull()) {
    result = edit.Set(result, "serviceAccountToken", edit.SetDefault(token, "expirationSeconds", edit.Int(3600)));
  }
  return result;
}

Value DefaultClaimTemplate(Editor& edit, const Value& source) {
  const Value& spec = source["volumeClaimTemplate"]["spec"];
  Value resources = spec["resources"];
  for (const std::string_view which : {"limits", "requests"}) {
    if (IsSet(resources[which])) resources = edit.Set(resources, which, RoundedAmounts(edit, resources[which]));
  }
  Value result = edit.SetDefault(spec, "volumeMode", edit.Literal("Filesystem"));
  if (IsSet(resources)) result = edit.Set(result, "resources", resources);
  return edit.SetAt(source, {"volumeClaimTemplate", "spec"}, result);
}

Value DefaultSource(Editor& edit, std::string_view kind, const Value& source) {
  if (kind == "secret" || kind == "configMap") return edit.SetDefault(source, "defaultMode", edit.Int(kDefaultMode));
  if (kind == "hostPath") return edit.SetDefault(source, "type", edit.Literal(""));
  if (kind == "downwardAPI") return edit.SetDefault(DefaultFiles(edit, source), "defaultMode", edit.Int(kDefaultMode));
  if (kind == "iscsi") return edit.SetDefault(source, "iscsiInterface", edit.Literal("default"));
  if (kind == "projected") {
    Value result = edit.SetDefault(source, "defaultMode", edit.Int(kDefaultMode));
    if (result["sources"].IsNull()) return result;
    return edit.Set(result, "sources", edit.Map(result["sources"], [&](const Value& one) { return DefaultProjection(edit, one); }));
  }
  if (kind == "rbd") {
    const Value result = edit.SetDefault(edit.SetDefault(source, "pool", edit.Literal("rbd")), "user", edit.Literal("admin"));
    return edit.SetDefault(result, "keyring", edit.Literal("/etc/ceph/keyring"));
  }
  if (kind == "image") {
    const bool latest = IsLatestImage(TextOf(source["reference"]));
    return edit.SetDefault(source, "pullPolicy", edit.Literal(latest ? "Always" : "IfNotPresent"));
  }
  if (kind == "ephemeral" && IsSet(source["volumeClaimTemplate"])) return DefaultClaimTemplate(edit, source);
  return source;
}

}  // namespace

Value DefaultVolume(Editor& edit, const Value& volume) {
  Value result = volume;
  bool has_source = false;
  for (const auto& [key, source] : json::MembersOf(volume)) {
    if (key == "name") continue;
    has_source = true;
    result = edit.Set(result, key, DefaultSource(edit, key, source));
  }
  return has_source ? result : edit.Set(result, "emptyDir", edit.Object({}));
}

}  // namespace allot::apiserver
