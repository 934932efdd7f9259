#include "apiserver/rest/openapi.h"

#include <map>

#include "apiserver/json_names.h"
#include "apiserver/rest/openapi_paths.h"
#include "apiserver/rest/openapi_schema.h"

namespace allot::apiserver {

namespace {

// FNV-1a. It must only differ when the document does.
std::string HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string hex;
  for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789ABCDEF"[hash >> shift & 0xF];
  return hex;
}

OpenApiDocument Finished(std::string path, const Value& root) {
  OpenApiDocument document{.path = std::move(path), .json = json::Write(root), .hash = {}};
  document.hash = HashOf(document.json);
  return document;
}

// Writes the document of some kinds. For OpenAPI 3 they all have one group and version.
Value Describe(json::Editor& edit, OpenApiVersion version, std::span<const Kind* const> kinds) {
  SchemaSet schemas(edit, version);
  OpenApiPaths paths;
  for (const Kind* kind : kinds) AddPaths(schemas, *kind, paths);
  std::vector<json::Member> members;
  for (const auto& [path, value] : paths) members.push_back({edit.CopyText(path), value});
  const Value info = edit.Object({{"title", edit.Literal("Kubernetes")}, {"version", edit.Literal("v1.36")}});
  if (version == OpenApiVersion::kV2) {
    return edit.Object(
        {{"swagger", edit.Literal("2.0")}, {"info", info}, {"paths", edit.Object(members)}, {"definitions", schemas.Definitions()}});
  }
  return edit.Object({{"openapi", edit.Literal("3.0.0")},
                      {"info", info},
                      {"paths", edit.Object(members)},
                      {"components", edit.Object({{"schemas", schemas.Definitions()}})}});
}

std::string PathOf(const Kind& kind) { return StrCat(kind.type.group.empty() ? "api/" : "apis/", kind.type.ApiVersion()); }

OpenApiDocument MakeV3(std::string path, std::span<const Kind* const> kinds) {
  json::Arena arena;
  json::Editor edit(arena);
  return Finished(std::move(path), Describe(edit, OpenApiVersion::kV3, kinds));
}

}  // namespace

std::vector<OpenApiDocument> OpenApiV3(KindSpan kinds) {
  std::map<std::string, std::vector<const Kind*>> groups;
  for (const auto& kind : kinds) groups[PathOf(*kind)].push_back(kind.get());
  std::vector<OpenApiDocument> documents;
  documents.reserve(groups.size());
  for (const auto& [path, members] : groups) documents.push_back(MakeV3(path, members));
  return documents;
}

std::optional<OpenApiDocument> OpenApiV3At(KindSpan kinds, std::string_view path) {
  std::vector<const Kind*> members;
  for (const auto& kind : kinds) {
    if (PathOf(*kind) == path) members.push_back(kind.get());
  }
  if (members.empty()) return std::nullopt;
  return MakeV3(std::string(path), members);
}

std::string OpenApiV3Index(std::span<const OpenApiDocument> documents) {
  json::Arena arena;
  json::Editor edit(arena);
  std::vector<json::Member> paths;
  for (const OpenApiDocument& document : documents) {
    const Value url = edit.String(StrCat("/openapi/v3/", document.path, "?hash=", document.hash));
    paths.push_back({document.path, edit.Object({{"serverRelativeURL", url}})});
  }
  return json::Write(edit.Object({{"paths", edit.Object(paths)}}));
}

OpenApiDocument OpenApiV2(KindSpan kinds) {
  json::Arena arena;
  json::Editor edit(arena);
  std::vector<const Kind*> all;
  for (const auto& kind : kinds) all.push_back(kind.get());
  return Finished("", Describe(edit, OpenApiVersion::kV2, all));
}

}  // namespace allot::apiserver
