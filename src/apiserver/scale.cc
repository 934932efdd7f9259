#include "apiserver/scale.h"

#include "apiserver/kinds/custom/kind.h"
#include "apiserver/schema/normalize.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

constexpr int kPatchTries = 100;  // each failed attempt means that another writer was faster
constexpr std::string_view kApiVersion = "autoscaling/v1";

const Kind& ScaleKind() {
  static const Kind kind = [] {
    Kind made;
    made.type = {.group = "autoscaling", .version = "v1", .plural = "", .kind = "Scale", .namespaced = true};
    made.schema = Schema::BuiltIn().FindKind("autoscaling", "v1", "Scale");
    CHECK(made.schema != nullptr);
    return made;
  }();
  return kind;
}

Result<json::Value> Decode(json::Editor& edit, const Target& whole, const json::Value& body) {
  if (!body.IsObject()) return BadRequest(StrCat("the body must be a Scale object, not ", json::KindName(body.kind())));
  const std::string_view version = json::TextOf(body["apiVersion"]), kind = json::TextOf(body["kind"]);
  if ((!version.empty() && version != kApiVersion) || (!kind.empty() && kind != "Scale")) {
    return BadRequest(StrCat(kind, " in version \"", version, "\" cannot be handled as a Scale"));
  }
  Result<Normalized> scale = Normalize(edit, *ScaleKind().schema, body);
  if (!scale.ok()) return BadRequest(StrCat("Scale in version \"v1\" cannot be handled as a Scale: ", scale.status().message()));
  const json::Value& metadata = scale->value["metadata"];
  const std::string_view space = json::TextOf(metadata["namespace"]), name = json::TextOf(metadata["name"]);
  if (!space.empty() && space != whole.space) {
    return BadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (!name.empty() && name != whole.name) {
    return BadRequest(StrCat("the name of the object (", name, ") does not match the name on the URL (", whole.name, ")"));
  }
  return scale->value;
}

Status CheckUid(Api& api, const Target& whole, std::string_view uid) {
  if (uid.empty()) return Status();
  ASSIGN_OR_RETURN(const Answer current, api.Get(whole));
  if (uid == current.entry->uid) return Status();
  return ConflictOn(*whole.kind, whole.name,
                    StrCat("Precondition failed: UID in precondition: ", uid, ", UID in object meta: ", current.entry->uid));
}

}  // namespace

json::Value ReadScale(json::Editor& edit, const Kind& kind, const json::Value& object) {
  if (const CustomScale* custom = ScaleOf(kind)) return custom->Read(edit, object);
  const json::Value& metadata = object["metadata"];
  std::vector<json::Member> kept;
  for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (!metadata[key].IsNull()) kept.push_back({key, metadata[key]});
  }
  std::string selector;
  for (const json::Member& label : json::MembersOf(object["spec"]["selector"]["matchLabels"])) {
    selector += StrCat(selector.empty() ? "" : ",", label.key, "=", json::TextOf(label.value));
  }
  const json::Value& replicas = object["spec"]["replicas"];
  const json::Value& now = object["status"]["replicas"];
  json::Value status = edit.Object({{"replicas", now.IsNumber() ? now : edit.Int(0)}});
  if (!selector.empty()) status = edit.Set(status, "selector", edit.String(selector));
  return edit.Object({{"kind", edit.Literal("Scale")},
                      {"apiVersion", edit.Literal(kApiVersion)},
                      {"metadata", edit.Object(kept)},
                      {"spec", replicas.IsNumber() ? edit.Object({{"replicas", replicas}}) : edit.Object({})},
                      {"status", status}});
}

Result<Answer> WriteScale(Api& api, const Caller& caller, const Target& whole, const json::Value& body, const WriteOptions& options) {
  json::Arena arena;
  json::Editor edit(arena);
  ASSIGN_OR_RETURN(const json::Value scale, Decode(edit, whole, body));
  TRY(CheckUid(api, whole, json::TextOf(scale["metadata"]["uid"])));
  // Write it as a merge patch of the object. The rules of a custom kind check its replicas.
  if (const CustomScale* custom = ScaleOf(*whole.kind)) {
    return api.Patch(caller, whole, PatchType::kMerge, custom->Write(edit, edit.Object({}), scale), options);
  }
  const json::Value& replicas = scale["spec"]["replicas"];
  const int64_t wanted = replicas.IsNumber() ? replicas.AsInt64().value_or(0) : 0;
  if (wanted < 0) {
    FieldErrors errors;
    errors.Invalid(FieldPath("spec.replicas"), wanted, "must be greater than or equal to 0");
    return InvalidObject(ScaleKind(), whole.name, errors);
  }
  json::Value patch = edit.SetAt(json::Value(), {"spec", "replicas"}, edit.Int(wanted));
  if (const json::Value& version = scale["metadata"]["resourceVersion"]; version.IsString()) {
    patch = edit.SetAt(patch, {"metadata", "resourceVersion"}, version);
  }
  return api.Patch(caller, whole, PatchType::kMerge, patch, options);
}

Result<Answer> PatchScale(Api& api, const Caller& caller, const Target& whole, const PatchScaleFunction& patch,
                          const WriteOptions& options) {
  for (int tries = 1;; ++tries) {
    ASSIGN_OR_RETURN(const Answer current, api.Get(whole));
    ASSIGN_OR_RETURN(json::Document object, json::Parse(current.text()));
    json::Editor edit(object.arena());
    const json::Value before = ReadScale(edit, *whole.kind, object.root());
    ASSIGN_OR_RETURN(const json::Value after, patch(edit, before));
    if (const CustomScale* custom = ScaleOf(*whole.kind); custom != nullptr && after["spec"]["replicas"].IsNull()) {
      return BadRequest(StrCat("the spec replicas field \".", Join(custom->spec_replicas, "."), "\" cannot be empty"));
    }
    Result<Answer> answer = WriteScale(api, caller, whole, after, options);
    if (answer.ok() || !HasReason(answer.status(), "Conflict") || tries == kPatchTries) return answer;
    for (const std::string_view key : {"uid", "resourceVersion"}) {
      if (!json::Equal(after["metadata"][key], before["metadata"][key])) return answer;
    }
  }
}

}  // namespace allot::apiserver
