// RestHandler: subresources that are actions (binding, eviction, scale, log).
#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/refusal.h"
#include "apiserver/rest/call.h"
#include "apiserver/scale.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

namespace {

// Reads the options of a log request, without the Pod and container.
Result<PodLogs::Request> ReadLogOptions(const Query& query, std::string_view pod, WallTime now) {
  PodLogs::Request request;
  request.follow = query.Flag("follow"), request.previous = query.Flag("previous"), request.timestamps = query.Flag("timestamps");
  const auto number = [&](std::string_view key, int64_t least, std::string_view rule) -> Result<std::optional<int64_t>> {
    ASSIGN_OR_RETURN(const std::optional<int64_t> value, query.Number(key));
    if (!value || *value >= least) return value;
    return Refuse(422, "Invalid", StrCat("PodLogOptions ", Quoted(pod), " is invalid: ", key, ": Invalid value: ", *value, ": ", rule));
  };
  ASSIGN_OR_RETURN(request.tail_lines, number("tailLines", 0, "must be greater than or equal to 0"));
  ASSIGN_OR_RETURN(request.limit_bytes, number("limitBytes", 1, "must be greater than 0"));
  ASSIGN_OR_RETURN(const std::optional<int64_t> seconds, number("sinceSeconds", 1, "must be greater than 0"));
  const std::string_view time = query.Get("sinceTime");
  if (seconds && !time.empty()) {
    return Refuse(422, "Invalid",
                  StrCat("PodLogOptions ", Quoted(pod), " is invalid: at most one of `sinceTime` or `sinceSeconds` may be specified"));
  }
  const WallTime::duration most = now.time_since_epoch();
  if (seconds)
    request.since = *seconds >= std::chrono::floor<std::chrono::seconds>(most).count() ? WallTime() : now - std::chrono::seconds(*seconds);
  if (!time.empty()) {
    request.since = kube::ParseTime(time);
    if (!request.since) return BadRequest(StrCat("sinceTime ", Quoted(time), " is not a time like 2026-11-16T00:38:43Z"));
  }
  return request;
}

}  // namespace

// Handles binding and eviction, which return a Status.
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
    return Refuse(415, "UnsupportedMediaType", "custom resources do not support strategic merge patches; use a merge patch");
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
  Result<PodLogs::Request> request = ReadLogOptions(call.query, pod.name, parts_.clock.Now());
  if (!request.ok()) return SendError(call, request.status());
  request->space = pod.space, request->pod = pod.name, request->container = std::move(*container);
  request->uid = json::TextOf(document->root()["metadata"]["uid"]);
  for (const json::Member& label : json::MembersOf(document->root()["metadata"]["labels"])) request->labels.emplace(label.key);
  parts_.logs->Serve(*request, call.writer);
}

}  // namespace allot::apiserver
