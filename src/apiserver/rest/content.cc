#include "apiserver/rest/content.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "apiserver/refusal.h"
#include "apiserver/rest/openapi_protobuf.h"
#include "apiserver/schema/protobuf.h"
#include "apiserver/schema/type.h"
#include "json/json.h"
#include "json/yaml.h"
#include "json/yaml_write.h"

namespace allot::apiserver {

namespace {

constexpr size_t kWorthCompressing = 128 << 10;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

struct Clause {
  std::string type;
  std::map<std::string, std::string, std::less<>> parameters;
  double quality = 1;

  std::string_view Parameter(std::string_view key) const {
    const auto found = parameters.find(key);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
};

std::vector<Clause> ReadAccept(std::string_view accept) {
  std::vector<Clause> clauses;
  for (const std::string_view part : Split(accept, ',')) {
    Clause clause;
    bool first = true;
    for (const std::string_view piece : Split(part, ';')) {
      const std::string_view text = Trim(piece);
      if (std::exchange(first, false)) {
        clause.type = Lower(text);
        continue;
      }
      const size_t equals = text.find('=');
      if (equals == std::string_view::npos) continue;
      clause.parameters[Lower(Trim(text.substr(0, equals)))] = Trim(text.substr(equals + 1));
    }
    if (const std::string_view q = clause.Parameter("q"); !q.empty()) {
      double quality = 1;
      std::from_chars(q.data(), q.data() + q.size(), quality);
      clause.quality = quality;
    }
    if (!clause.type.empty() && clause.quality > 0) clauses.push_back(std::move(clause));
  }
  std::stable_sort(clauses.begin(), clauses.end(), [](const Clause& a, const Clause& b) { return a.quality > b.quality; });
  return clauses;
}

std::optional<View> ViewOf(const Clause& clause) {
  const std::string_view as = clause.Parameter("as"), group = clause.Parameter("g");
  if (as.empty()) return View::kObject;
  if (group == "meta.k8s.io" && as == "Table") return View::kTable;
  if (group == "meta.k8s.io" && (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList")) return View::kPartial;
  if (group == "apidiscovery.k8s.io" && as == "APIGroupDiscoveryList") return View::kDiscovery;
  return std::nullopt;
}

std::optional<Media> MediaOf(std::string_view type) {
  if (type == "application/json" || type == "*/*" || type == "application/*") return Media::kJson;
  if (type == "application/yaml") return Media::kYaml;
  if (type == kProtobufType) return Media::kProtobuf;
  return std::nullopt;
}

Result<Body> ReadJson(std::string_view text) {
  Body body;
  std::vector<json::Duplicate> duplicates;
  Result<json::Document> document = json::Parse(text, {}, &duplicates);
  if (!document.ok()) return BadRequest(StrCat("couldn't get version/kind; json parse error: ", document.status().message()));
  body.document = std::move(*document);
  for (json::Duplicate& one : duplicates) body.duplicates.push_back(std::move(one.path));
  return body;
}

Result<Body> ReadYaml(std::string_view text) {
  Body body;
  std::vector<json::Duplicate> duplicates;
  auto documents = json::ParseYaml(text, {}, &duplicates);
  if (!documents.ok()) return BadRequest(StrCat("yaml: ", documents.status().message()));
  if (documents->size() != 1) return BadRequest(StrCat("yaml: the body has ", documents->size(), " documents; send one"));
  body.document = std::move(documents->front());
  for (json::Duplicate& one : duplicates) body.duplicates.push_back(std::move(one.path));
  return body;
}

Result<Body> ReadProtobuf(std::string_view text) {
  auto arena = std::make_unique<json::Arena>();
  json::Editor edit(*arena);
  const auto find = [](std::string_view api_version, std::string_view kind) {
    const size_t slash = api_version.find('/');
    const bool core = slash == std::string_view::npos;
    return Schema::BuiltIn().FindKind(core ? std::string_view() : api_version.substr(0, slash),
                                      core ? api_version : api_version.substr(slash + 1), kind);
  };
  Result<json::Value> value = DecodeProtobuf(edit, text, find);
  if (!value.ok()) return BadRequest(StrCat("protobuf: ", value.status().message()));
  Body body;
  body.document = json::Document(std::move(arena), *value);
  return body;
}

}  // namespace

Result<Format> Negotiate(std::string_view accept, bool views) {
  if (Trim(accept).empty()) return Format();
  const std::vector<Clause> clauses = ReadAccept(accept);
  std::optional<Format> best;
  double quality = 0;
  for (const Clause& clause : clauses) {
    const auto media = MediaOf(clause.type);
    const auto view = ViewOf(clause);
    if (!media || !view || (*view != View::kObject && !views)) continue;
    if (best && (clause.quality < quality || best->media != Media::kProtobuf || *view != best->view)) continue;
    if (best && *media != Media::kJson) continue;
    best = Format{*media, *view, std::string(clause.Parameter("v"))};
    quality = clause.quality;
  }
  if (best) return *best;
  return Refuse(406, "NotAcceptable",
                "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

Result<Format> NegotiateOpenApi(std::string_view accept) {
  if (Trim(accept).empty()) return Format();
  for (const Clause& clause : ReadAccept(accept)) {
    if (clause.type == kOpenApiProtobufType || clause.type == kOpenApiProtobufOldType) return Format{.media = Media::kProtobuf};
    if (MediaOf(clause.type) == Media::kJson) return Format();
  }
  return Refuse(406, "NotAcceptable", StrCat("only the following media types are accepted: application/json, ", kOpenApiProtobufType));
}

std::string MediaTypeOf(std::string_view content_type) { return Lower(Trim(content_type.substr(0, content_type.find(';')))); }

Result<Body> ReadBody(const http::Request& request) {
  const std::string type = MediaTypeOf(request.headers.Get("Content-Type"));
  if (request.body.empty()) return BadRequest("the body is empty; send the object");
  if (type.empty() || type == "application/json") return ReadJson(request.body);
  if (type == "application/yaml") return ReadYaml(request.body);
  if (type == kProtobufType) return ReadProtobuf(request.body);
  return Refuse(415, "UnsupportedMediaType",
                StrCat("the body of the request was in an unknown format (", type,
                       ") - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"));
}

Result<std::string> JsonToYaml(std::string_view text) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
  return json::WriteYaml(document.root());
}

std::optional<std::string> Gzipped(const http::Request& request, std::string_view body) {
  if (body.size() < kWorthCompressing) return std::nullopt;
  const std::vector<Clause> accepted = ReadAccept(request.headers.Get("Accept-Encoding"));
  const bool wanted = std::any_of(accepted.begin(), accepted.end(), [](const Clause& clause) { return clause.type == "gzip"; });
  if (!wanted) return std::nullopt;
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return std::nullopt;
  std::string packed(deflateBound(&stream, body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int done = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (done != Z_STREAM_END) return std::nullopt;
  return packed;
}

}  // namespace allot::apiserver
