// Subresources that are actions: binding, eviction, scale, log.
#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/refusal.h"
#include "apiserver/rest/call.h"
#include "apiserver/scale.h"
#include "json/json.h"

namespace allot::apiserver {

// Binding and eviction: something is sent, and a Status comes back.
void RestHandler::Act(Call& call) {
  Result<WriteOptions> options = ReadWriteOptions(call.query, false, false);
  if (!options.ok()) return SendError(call, options.status());
  Result<Body> body = ReadBody(call.request);
  if (!body.ok()) return SendError(call, body.status());
  Target pod = call.target;
  pod.subresource.clear();
  const bool binds = call.path.subresource == "binding";
  const Status status = binds ? BindPod(parts_.api, call.caller, pod, body->document.root(), options->dry_run)
                              : EvictPod(parts_.api, call.caller, pod, body->document.root(), options->dry_run);
  if (!status.ok()) return SendError(call, status);
  SendText(call, 201, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})");
}

void RestHandler::Scale(Call& call) {
  Target whole = call.target;
  whole.subresource.clear();
  Result<Answer> answer = VerbOf(call) == "get" ? parts_.api.Get(whole) : ChangeScale(call, whole);
  if (!answer.ok()) return SendError(call, answer.status());
  Result<json::Document> object = json::Parse(answer->text());
  if (!object.ok()) return SendError(call, object.status());
  json::Editor edit(object->arena());
  SendText(call, 200, json::Write(ReadScale(edit, *whole.kind, object->root())));
}

Result<Answer> RestHandler::ChangeScale(Call& call, const Target& whole) {
  const bool patches = call.request.method == "PATCH";
  const Result<PatchType> type = patches ? PatchTypeOf(call) : PatchType::kMerge;
  if (!type.ok()) return type.status();
  if (*type == PatchType::kStrategic && whole.kind->custom) {
    return Refuse(415, "UnsupportedMediaType", "strategic merge patches are not for custom resources; use a merge patch");
  }
  ASSIGN_OR_RETURN(WriteOptions options, ReadWriteOptions(call.query, patches, *type == PatchType::kApply));
  options.warnings = &call.warnings;
  if (!patches) {
    ASSIGN_OR_RETURN(const Body body, ReadBody(call.request));
    return WriteScale(parts_.api, call.caller, whole, body.document.root(), options);
  }
  ASSIGN_OR_RETURN(const Body body, ReadPatch(call, *type));
  const json::Value& patch = body.document.root();
  const auto apply = [&](json::Editor& edit, const json::Value& scale) {
    return *type == PatchType::kJson ? ApplyJsonPatch(edit, scale, patch) : ApplyMergePatch(edit, scale, patch);
  };
  return PatchScale(parts_.api, call.caller, whole, apply, options);
}

void RestHandler::Log(Call& call) {
  Target pod = call.target;
  pod.subresource.clear();
  Result<Answer> answer = parts_.api.Get(pod);
  if (!answer.ok()) return SendError(call, answer.status());
  Result<json::Document> document = json::Parse(answer->text());
  if (!document.ok()) return SendError(call, document.status());
  Result<std::string> container = ContainerOf(document->root(), call.query.Get("container"));
  if (!container.ok()) return SendError(call, container.status());
  if (json::TextOf(document->root()["spec"]["nodeName"]).empty()) return Send(call, 204, "text/plain", "");
  if (parts_.logs == nullptr) {
    return SendError(call, Refuse(501, "NotImplemented", "this server runs no containers, so there are no logs"));
  }
  PodLogs::Request request{
      pod.space, pod.name, std::move(*container), call.query.Flag("follow"), call.query.Flag("previous"), call.query.Flag("timestamps"), {},
      {},        {}};
  for (auto [key, value] :
       {std::pair("tailLines", &request.tail_lines), {"limitBytes", &request.limit_bytes}, {"sinceSeconds", &request.since_seconds}}) {
    Result<std::optional<int64_t>> number = call.query.Number(key);
    if (!number.ok()) return SendError(call, number.status());
    *value = *number;
  }
  parts_.logs->Serve(request, call.writer);
}

}  // namespace allot::apiserver
