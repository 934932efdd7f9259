// RestHandler: documents about the server (discovery, OpenAPI, version) and access reviews.
#include "apiserver/refusal.h"
#include "apiserver/rest/call.h"
#include "apiserver/rest/discovery.h"
#include "apiserver/rest/openapi.h"
#include "apiserver/rest/openapi_protobuf.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

using Make = std::function<std::optional<std::string>(const Kinds&)>;

struct Page {
  std::string name;  // of the document
  Make make;         // empty: there is no such page
  std::string content_type = "application/json";
};

Page GroupPage(const Path& path, const Format& format) {
  const std::vector<std::string>& parts = path.parts;
  const bool aggregated = format.view == View::kDiscovery;
  const std::string version = format.version.empty() ? "v2" : format.version;
  if (parts.size() == 1 && aggregated) {
    if (version != "v2" && version != "v2beta1") return {};
    const DiscoveryRoot root = parts[0] == "api" ? DiscoveryRoot::kApi : DiscoveryRoot::kApis;
    return {StrCat(parts[0], " aggregated ", version), [=](const Kinds& kinds) { return WriteAggregated(kinds, root, version); },
            AggregatedContentType(version)};
  }
  // Accept only existing pages, because each page is cached.
  if (parts.size() > (parts[0] == "api" ? 2 : 3)) return {};
  const std::string name = Join(parts, "/");
  if (parts.size() == 1 && parts[0] == "api") return {name, [](const Kinds&) { return WriteApiVersions(); }};
  if (parts.size() == 1) return {name, [](const Kinds& kinds) { return WriteGroupList(kinds); }};
  if (parts[0] == "apis" && parts.size() == 2) return {name, [group = parts[1]](const Kinds& kinds) { return WriteGroup(kinds, group); }};
  return {name, [group = path.group, of = path.version](const Kinds& kinds) { return WriteResourceList(kinds, group, of); }};
}

bool IsOpenApiV2(const std::vector<std::string>& parts) { return parts.size() == 2 && parts[0] == "openapi" && parts[1] == "v2"; }

Page OpenApiV2Page(const Format& format) {
  if (format.media != Media::kProtobuf) return {"openapi/v2", [](const Kinds& kinds) { return OpenApiV2(kinds.all()).json; }};
  const auto make = [](const Kinds& kinds) -> std::optional<std::string> {
    Result<std::string> bytes = OpenApiV2Protobuf(OpenApiV2(kinds.all()).json);
    return bytes.ok() ? std::optional(*std::move(bytes)) : std::nullopt;
  };
  return {"openapi/v2 protobuf", make, std::string(kOpenApiProtobufType)};
}

Page OpenApiPage(const std::vector<std::string>& parts, const Format& format) {
  const std::string name = Join(parts, "/");
  if (IsOpenApiV2(parts)) return OpenApiV2Page(format);
  if (parts.size() < 2 || parts[1] != "v3") return {};
  if (parts.size() == 2) return {name, [](const Kinds& kinds) { return OpenApiV3Index(OpenApiV3(kinds.all())); }};
  const std::string path = Join(std::vector<std::string>(parts.begin() + 2, parts.end()), "/");
  return {name, [path](const Kinds& kinds) -> std::optional<std::string> {
            std::optional<OpenApiDocument> document = OpenApiV3At(kinds.all(), path);
            return document ? std::optional(std::move(document->json)) : std::nullopt;
          }};
}

Page PageOf(const Path& path, const Format& format) {
  const std::vector<std::string>& parts = path.parts;
  if (parts.empty()) return {"/", [](const Kinds& kinds) { return WritePaths(kinds); }};
  if (parts[0] == "version" && parts.size() == 1) return {"version", [](const Kinds&) { return WriteVersion(); }};
  if (parts[0] == "openapi") return OpenApiPage(parts, format);
  if (parts[0] == "api" || parts[0] == "apis") return GroupPage(path, format);
  return {};
}

}  // namespace

void RestHandler::ServeDocument(Call& call) {
  const std::string path = call.request.target.substr(0, call.request.target.find('?'));
  if (const Status allowed = parts_.access.Allow(call.who, {"get", "", "", "", "", "", path}); !allowed.ok()) {
    return SendError(call, Refuse(403, "Forbidden", StrCat("forbidden: User \"", call.who.user, "\" cannot get path \"", path, "\"")));
  }
  const std::string_view accept = call.request.headers.Get("Accept");
  const Result<Format> format = IsOpenApiV2(call.path.parts) ? NegotiateOpenApi(accept) : Negotiate(accept, true);
  if (!format.ok()) return SendError(call, format.status());
  const Page page = PageOf(call.path, *format);
  if (!page.make) return SendError(call, NoSuchPath());
  if (call.request.method != "GET" && call.request.method != "HEAD") return SendError(call, MethodNotAllowed());
  const Documents::DocumentPtr document = documents_.Get(call.kinds, page.name, page.make);
  if (document == nullptr) return SendError(call, NoSuchPath());
  http::Response response;
  response.headers.Add("Content-Type", page.content_type);
  response.headers.Add("ETag", document->etag);
  response.headers.Add("Vary", "Accept");
  if (call.request.headers.Get("If-None-Match") == document->etag) {
    response.status = 304;
    call.writer->Send(std::move(response));
    return;
  }
  response.body = document->text;
  if (auto packed = Gzipped(call.request, response.body)) {
    response.headers.Add("Content-Encoding", "gzip");
    response.body = std::move(*packed);
  }
  call.writer->Send(std::move(response));
}

// Serves authorization.k8s.io and authentication.k8s.io, whose objects are answered but not stored.
bool RestHandler::ServeReview(Call& call) {
  const std::string& group = call.path.group;
  if ((group != "authorization.k8s.io" && group != "authentication.k8s.io") || call.path.version != "v1") return false;
  const std::string& resource = call.path.resource;
  const bool access = resource == "selfsubjectaccessreviews";
  if (!access && resource != "selfsubjectreviews") return false;
  if (call.request.method != "POST") return SendError(call, MethodNotAllowed()), true;
  Result<Body> body = ReadBody(call.request);
  if (!body.ok()) return SendError(call, body.status()), true;
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value& asked = body->document.root();
  json::Value answer = asked.IsObject() ? asked : edit.Object({});
  answer = edit.Set(answer, "kind", edit.Literal(access ? "SelfSubjectAccessReview" : "SelfSubjectReview"));
  answer = edit.Set(answer, "apiVersion", edit.String(StrCat(group, "/v1")));
  if (access) {
    const json::Value& what = asked["spec"]["resourceAttributes"];
    const json::Value& path = asked["spec"]["nonResourceAttributes"];
    const auto text = [&](std::string_view key) { return std::string(json::TextOf(what[key])); };
    const Ask ask = path.IsObject()
                        ? Ask{std::string(json::TextOf(path["verb"])), "", "", "", "", "", std::string(json::TextOf(path["path"]))}
                        : Ask{text("verb"), text("group"), text("resource"), text("subresource"), text("namespace"), text("name"), ""};
    const Status allowed = parts_.access.Allow(call.who, ask);
    json::Value status = edit.Object({{"allowed", edit.Bool(allowed.ok())}});
    if (!allowed.ok()) status = edit.Set(status, "reason", edit.String(allowed.message()));
    answer = edit.Set(answer, "status", status);
  } else {
    std::vector<json::Value> groups;
    for (const std::string& one : call.who.groups) groups.push_back(edit.String(one));
    const json::Value user = edit.Object({{"username", edit.String(call.who.user)}, {"groups", edit.Array(groups)}});
    answer = edit.Set(answer, "status", edit.Object({{"userInfo", user}}));
  }
  SendText(call, 201, json::Write(answer));
  return true;
}

}  // namespace allot::apiserver
