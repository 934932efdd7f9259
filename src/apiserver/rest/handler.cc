#include "apiserver/rest/handler.h"

#include <algorithm>
#include <charconv>

#include "apiserver/refusal.h"
#include "apiserver/rest/call.h"
#include "apiserver/rest/table.h"
#include "apiserver/schema/protobuf.h"
#include "base/utf8.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxBody = 3 << 20;

// Returns the error for subresources that need a container runtime with a streaming interface, or nullopt for other paths.
std::optional<Status> NotForProcesses(const Path& path) {
  if (path.resource != "pods" || !path.group.empty()) return std::nullopt;
  std::string_view instead;
  if (path.subresource == "exec") {
    instead = "log in to the machine, and run the command there (kubectl cp: copy the files there)";
  } else if (path.subresource == "attach") {
    instead = "`kubectl logs -f` shows what they write";
  } else if (path.subresource == "portforward" || path.subresource == "proxy") {
    instead = "they listen on ports of the machine: connect to those";
  } else {
    return std::nullopt;
  }
  return Refuse(501, "NotImplemented",
                StrCat("pods/", path.subresource, " is not served: containers of this API are processes of the machine; ", instead));
}

std::string EscapeWarning(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

}  // namespace

void RestHandler::AddWarnings(const Call& call, http::Headers& headers) {
  for (const std::string& warning : call.warnings) headers.Add("Warning", StrCat("299 - \"", EscapeWarning(warning), "\""));
}

void RestHandler::Send(Call& call, int code, std::string content_type, std::string body) {
  http::Response response;
  response.status = code;
  response.headers.Add("Content-Type", content_type);
  response.headers.Add("Cache-Control", "no-cache, private");
  AddWarnings(call, response.headers);
  if (auto packed = Gzipped(call.request, body)) {
    response.headers.Add("Content-Encoding", "gzip");
    response.headers.Add("Vary", "Accept-Encoding");
    body = std::move(*packed);
  }
  response.body = std::move(body);
  call.writer->Send(std::move(response));
}

void RestHandler::SendText(Call& call, int code, std::string json) {
  if (call.format.media == Media::kYaml) {
    Result<std::string> yaml = JsonToYaml(json);
    if (!yaml.ok()) return SendError(call, yaml.status());
    return Send(call, code, "application/yaml", std::move(*yaml));
  }
  json += '\n';
  Send(call, code, "application/json", std::move(json));
}

void RestHandler::SendError(Call& call, const Status& status) {
  const Refusal* refusal = RefusalOf(status);
  http::Response response;
  response.status = CodeOf(status);
  response.headers.Add("Content-Type", "application/json");
  AddWarnings(call, response.headers);
  if (refusal != nullptr && refusal->retry_after_seconds)
    response.headers.Add("Retry-After", std::to_string(*refusal->retry_after_seconds));
  response.body = WriteStatus(status) + "\n";
  call.writer->Send(std::move(response));
}

void RestHandler::SendAsProtobuf(Call& call, int code, const Type& type, std::string_view kind, std::string_view json) {
  if (!HasProtobuf(type)) return SendError(call, Refuse(406, "NotAcceptable", "this kind is not served as protobuf"));
  Result<json::Document> document = json::Parse(json);
  if (!document.ok()) return SendError(call, document.status());
  Result<std::string> bytes = EncodeProtobuf(type, call.target.kind->ApiVersion(), kind, document->root());
  if (!bytes.ok()) return SendError(call, bytes.status());
  Send(call, code, std::string(kProtobufType), std::move(*bytes));
}

void RestHandler::SendObject(Call& call, const Answer& answer) {
  const Kind& kind = *call.target.kind;
  const std::string text = InVersion(kind, std::string(answer.text()));
  Result<std::string> shown = text;
  if (call.format.view == View::kTable) {
    const auto include = ParseIncludeObject(call.query.Get("includeObject"));
    if (!include)
      return SendError(call,
                       BadRequest(StrCat("includeObject: ", Quoted(call.query.Get("includeObject")), " is not None, Metadata or Object")));
    TableOptions options;
    options.include = *include;
    if (!call.format.version.empty()) options.version = call.format.version;
    shown = WriteTableOfOne(kind, text, parts_.clock.Now(), options);
  } else if (call.format.view == View::kPartial) {
    shown = WritePartial(text);
  } else if (call.format.media == Media::kProtobuf) {
    if (kind.schema == nullptr) return SendError(call, Refuse(406, "NotAcceptable", "this kind is not served as protobuf"));
    return SendAsProtobuf(call, answer.code, *kind.schema, kind.type.kind, text);
  }
  if (!shown.ok()) return SendError(call, shown.status());
  SendText(call, answer.code, std::move(*shown));
}

void RestHandler::Handle(const http::RequestContext& context, const std::shared_ptr<http::ResponseWriter>& writer) {
  Call call(context, writer);
  if (context.request.body.size() > kMaxBody) {
    return SendError(call, Refuse(413, "RequestEntityTooLarge", StrCat("Request entity too large: limit is ", kMaxBody)));
  }
  if (const Status text = CheckText(call.path, call.query); !text.ok()) return SendError(call, text);
  Route(call);
}

void RestHandler::Route(Call& call) {
  const std::vector<std::string>& parts = call.path.parts;
  if (parts.size() == 1 && (parts[0] == "healthz" || parts[0] == "livez" || parts[0] == "readyz")) {
    return Send(call, 200, "text/plain; charset=utf-8", "ok");
  }
  const auto who = parts_.access.Identify(call.context);
  if (!who) return SendError(call, Refuse(401, "Unauthorized", "Unauthorized"));
  if (!who->refused.empty()) return SendError(call, Refuse(403, "Forbidden", who->refused));
  // Stored objects contain the user's name.
  if (!IsValidUtf8(who->user)) return SendError(call, BadRequest("the name of the user is not UTF-8"));
  call.who = *who;
  call.caller = {who->user, who->groups, ManagerOf(call.query, call.request.headers.Get("User-Agent")), who->uid};
  call.kinds = parts_.api.kinds();
  if (!call.path.is_api || call.path.resource.empty()) return ServeDocument(call);
  if (ServeReview(call)) return;
  for (const auto& kind : call.kinds->all()) {
    if (kind->type.plural == call.path.resource && kind->type.group == call.path.group && kind->type.version == call.path.version) {
      return Serve(call, kind);
    }
  }
  SendError(call, NoSuchPath());
}

std::string RestHandler::VerbOf(const Call& call) {
  const std::string& method = call.request.method;
  const bool collection = call.path.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (call.path.is_legacy_watch || (call.query.Flag("watch") && call.path.subresource.empty())) return "watch";
    return collection ? "list" : "get";
  }
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return collection ? "deletecollection" : "delete";
  return "";
}

void RestHandler::Serve(Call& call, std::shared_ptr<const Kind> kind) {
  const Path& path = call.path;
  if (path.has_space && !kind->type.namespaced) return SendError(call, NoSuchPath());
  const std::string verb = VerbOf(call);
  if (verb.empty()) return SendError(call, MethodNotAllowed());
  if (const std::optional<Status> refused = NotForProcesses(path)) return SendError(call, *refused);
  if (!kind->deprecation.empty()) call.warnings.push_back(kind->deprecation);
  if (const Status allowed = parts_.access.Allow(call.who, {verb, path.group, path.resource, path.subresource, path.space, path.name, ""});
      !allowed.ok()) {
    return SendError(call, ForbiddenOn(*kind, path.name, allowed.message()));
  }
  Result<Format> format = Negotiate(call.request.headers.Get("Accept"), true);
  if (!format.ok()) return SendError(call, format.status());
  call.format = *format;
  call.target = {std::move(kind), path.space, path.name, path.subresource};
  if (call.target.kind->empty && verb != "list" && verb != "watch" && verb != "get") {
    return SendError(
        call, Refuse(405, "MethodNotAllowed",
                     StrCat("allot does not run ", call.target.kind->type.FullName(), ": the list is empty, and nothing can be created")));
  }
  if (path.name.empty()) return ServeCollection(call);
  if (!call.target.kind->type.namespaced || path.has_space) return path.subresource.empty() ? ServeObject(call) : ServeSubresource(call);
  // A namespaced object without its namespace in the path: kube-apiserver has no such path.
  SendError(call, NoSuchPath());
}

void RestHandler::ServeCollection(Call& call) {
  const std::string& method = call.request.method;
  const bool all_spaces = call.target.kind->type.namespaced && !call.path.has_space;
  if (method == "GET" || method == "HEAD") return List(call);
  const bool all_at_once = method == "DELETE" && call.target.kind->type.FullName() == "namespaces";  // not allowed for namespaces
  if (all_spaces || all_at_once || (method != "POST" && method != "DELETE")) return SendError(call, MethodNotAllowed());
  method == "POST" ? Write(call, &Api::Create) : DeleteCollection(call);
}

void RestHandler::ServeObject(Call& call) {
  const std::string& method = call.request.method;
  if (method == "GET" || method == "HEAD") return VerbOf(call) == "watch" ? List(call) : Get(call);
  if (method == "PUT") return Write(call, &Api::Update);
  if (method == "PATCH") return Patch(call);
  if (method == "DELETE") return Delete(call);
  SendError(call, MethodNotAllowed());
}

void RestHandler::ServeSubresource(Call& call) {
  const Subresource* subresource = call.target.kind->FindSubresource(call.path.subresource);
  if (subresource == nullptr) return SendError(call, NoSuchPath());
  const std::string verb = VerbOf(call);
  if (std::find(subresource->verbs.begin(), subresource->verbs.end(), verb) == subresource->verbs.end())
    return SendError(call, MethodNotAllowed());
  if (subresource->name == "scale") return Scale(call);
  if (subresource->name == "log") return Log(call);
  if (verb == "get") return Get(call);
  if (verb == "update") return Write(call, &Api::Update);
  if (verb == "patch") return Patch(call);
  Act(call);
}

void RestHandler::Get(Call& call) {
  Result<uint64_t> version = ReadVersion(call.query.Get("resourceVersion"));
  if (!version.ok()) return SendError(call, version.status());
  if (const uint64_t latest = parts_.api.store().version(); *version > latest) return SendError(call, VersionTooLarge(*version, latest));
  Result<Answer> answer = parts_.api.Get(call.target);
  if (!answer.ok()) return SendError(call, answer.status());
  SendObject(call, *answer);
}

void RestHandler::Write(Call& call, decltype(&Api::Create) verb) {
  Result<WriteOptions> options = ReadWriteOptions(call.query, false, false);
  if (!options.ok()) return SendError(call, options.status());
  Result<Body> body = ReadBody(call.request);
  if (!body.ok()) return SendError(call, body.status());
  options->duplicates = std::move(body->duplicates);
  options->warnings = &call.warnings;
  Result<Answer> answer = (parts_.api.*verb)(call.caller, call.target, body->document.root(), *options);
  if (!answer.ok()) return SendError(call, answer.status());
  SendObject(call, *answer);
}

Result<PatchType> RestHandler::PatchTypeOf(const Call& call) {
  const std::string type = MediaTypeOf(call.request.headers.Get("Content-Type"));
  if (type == "application/json-patch+json") return PatchType::kJson;
  if (type == "application/merge-patch+json") return PatchType::kMerge;
  if (type == "application/strategic-merge-patch+json") return PatchType::kStrategic;
  if (type == "application/apply-patch+yaml" || type == "application/apply-patch+cbor") return PatchType::kApply;
  return Refuse(415, "UnsupportedMediaType",
                StrCat("the body of the request was in an unknown format (", type,
                       ") - accepted media types include: application/json-patch+json, application/merge-patch+json, "
                       "application/strategic-merge-patch+json, application/apply-patch+yaml"));
}

Result<Body> RestHandler::ReadPatch(const Call& call, PatchType type) {
  http::Request as_body;
  as_body.body = call.request.body;
  as_body.headers.Set("Content-Type", type == PatchType::kApply ? "application/yaml" : "application/json");
  return ReadBody(as_body);
}

void RestHandler::Patch(Call& call) {
  const Result<PatchType> type = PatchTypeOf(call);
  if (!type.ok()) return SendError(call, type.status());
  Result<WriteOptions> options = ReadWriteOptions(call.query, true, *type == PatchType::kApply);
  if (!options.ok()) return SendError(call, options.status());
  Result<Body> body = ReadPatch(call, *type);
  if (!body.ok()) return SendError(call, body.status());
  options->duplicates = std::move(body->duplicates);
  options->warnings = &call.warnings;
  Result<Answer> answer = parts_.api.Patch(call.caller, call.target, *type, body->document.root(), *options);
  if (!answer.ok()) return SendError(call, answer.status());
  SendObject(call, *answer);
}

Result<DeleteOptions> RestHandler::DeleteOptionsOf(Call& call) {
  json::Document none;
  if (call.request.body.empty()) return ReadDeleteOptions(call.query, none.root());
  ASSIGN_OR_RETURN(const Body body, ReadBody(call.request));
  return ReadDeleteOptions(call.query, body.document.root());
}

void RestHandler::Delete(Call& call) {
  Result<DeleteOptions> options = DeleteOptionsOf(call);
  if (!options.ok()) return SendError(call, options.status());
  const Kind& kind = *call.target.kind;
  if (kind.cascade == Cascade::kOrphan && options->propagation.empty()) {
    call.warnings.push_back(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
        "propagationPolicy=Orphan to suppress this warning");
  }
  options->warnings = &call.warnings;
  Result<Answer> answer = parts_.api.Delete(call.caller, call.target, *options);
  if (!answer.ok()) return SendError(call, answer.status());
  if (!answer->removed || kind.delete_answer == DeleteAnswer::kObject) return SendObject(call, *answer);
  json::Arena arena;
  json::Editor edit(arena);
  json::Value details = edit.Object(
      {{"name", edit.String(call.target.name)}, {"kind", edit.String(kind.type.plural)}, {"uid", edit.String(answer->entry->uid)}});
  if (!kind.type.group.empty()) details = edit.Set(details, "group", edit.String(kind.type.group));
  SendText(call, 200,
           json::Write(edit.Object({{"kind", edit.Literal("Status")},
                                    {"apiVersion", edit.Literal("v1")},
                                    {"metadata", edit.Object({})},
                                    {"status", edit.Literal("Success")},
                                    {"details", details}})));
}

}  // namespace allot::apiserver
