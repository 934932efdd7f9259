// Subresources that are actions: binding, eviction, scale, log.
#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/refusal.h"
#include "apiserver/rest/call.h"
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
  const auto read = [&](const Answer& answer) -> Result<std::string> {
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(answer.text()));
    return ReadScale(*whole.kind, document.root());
  };
  Result<Answer> answer = parts_.api.Get(whole);
  if (answer.ok() && call.request.method != "GET") answer = ChangeScale(call, whole, *answer);
  if (!answer.ok()) return SendError(call, answer.status());
  Result<std::string> text = read(*answer);
  if (!text.ok()) return SendError(call, text.status());
  SendText(call, 200, std::move(*text));
}

Result<Answer> RestHandler::ChangeScale(Call& call, const Target& whole, const Answer& current) {
  const bool patches = call.request.method == "PATCH";
  ASSIGN_OR_RETURN(WriteOptions options, ReadWriteOptions(call.query, patches, false));
  options.warnings = &call.warnings;
  if (!patches) {
    ASSIGN_OR_RETURN(const Body body, ReadBody(call.request));
    return WriteScale(parts_.api, call.caller, whole, body.document.root(), options);
  }
  ASSIGN_OR_RETURN(const PatchType type, PatchTypeOf(call));
  ASSIGN_OR_RETURN(const json::Document object, json::Parse(current.text()));
  ASSIGN_OR_RETURN(const std::string scale, ReadScale(*whole.kind, object.root()));
  ASSIGN_OR_RETURN(json::Document document, json::Parse(scale));
  ASSIGN_OR_RETURN(const json::Document patch, json::Parse(call.request.body));
  json::Editor edit(document.arena());
  ASSIGN_OR_RETURN(const json::Value patched, type == PatchType::kJson
                                                  ? ApplyJsonPatch(edit, document.root(), patch.root())
                                                  : Result<json::Value>(ApplyMergePatch(edit, document.root(), patch.root())));
  return WriteScale(parts_.api, call.caller, whole, patched, options);
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
    return SendError(call, Refuse(501, "NotImplemented", "this server runs no containers, so there are no logs; `allot up` has them"));
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
