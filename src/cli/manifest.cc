#include "cli/manifest.h"

#include <cstdio>

#include "base/strings.h"
#include "json/yaml.h"

namespace allot::cli {
namespace {

constexpr size_t kMaxManifest = 64 << 20;

bool IsManifestName(std::string_view name) { return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json"); }

Result<std::string> ReadStandardInput() {
  std::string text;
  char buffer[65536];
  for (;;) {
    const size_t size = std::fread(buffer, 1, sizeof buffer, stdin);
    text.append(buffer, size);
    if (text.size() > kMaxManifest) return Exhausted("standard input: more than ", kMaxManifest, " bytes");
    if (size == 0) break;
  }
  if (std::ferror(stdin) != 0) return Unavailable("standard input cannot be read");
  return text;
}

// The files of a folder, appended; kNotFound where there is none.
Status ListFiles(const FileSystem& files, const std::string& folder, bool recursive, std::vector<std::string>& found) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files.List(folder));
  for (const std::string& name : names) {
    const std::string path = StrCat(folder, folder.ends_with('/') ? "" : "/", name);
    if (files.List(path).ok()) {
      if (recursive) TRY(ListFiles(files, path, recursive, found));
    } else if (IsManifestName(name)) {
      found.push_back(path);
    }
  }
  return Status();
}

Result<std::vector<std::string>> FilesOf(const FileSystem& files, const std::string& source, bool recursive) {
  if (!files.List(source).ok()) return std::vector<std::string>{source};
  std::vector<std::string> found;
  TRY(ListFiles(files, source, recursive, found));
  if (found.empty())
    return NotFound(source, ": no *.yaml, *.yml or *.json in this folder", recursive ? "" : "; -R looks into the folders in it");
  return found;
}

Status CheckObject(const json::Value& object, const std::string& place) {
  if (!object.IsObject()) return Invalid(place, ": expected an object, not ", json::KindName(object.kind()));
  const auto required = [&](const json::Value& value, std::string_view field, std::string_view example) -> Status {
    if (value.IsString() && !value.AsString().empty()) return Status();
    if (value.IsNull()) return Invalid(place, ": ", field, " is not set; write one, like ", example);
    return Invalid(place, ": ", field, ": expected a text that is not empty, like ", example);
  };
  TRY(required(object["apiVersion"], "apiVersion", "v1"));
  TRY(required(object["kind"], "kind", "Pod"));
  return Status();
}

Status AddObject(const json::Value& value, const std::string& place, std::vector<RawManifest>& manifests) {
  TRY(CheckObject(value, place));
  if (kube::Object::Text(value["kind"]).ends_with("List") && value["items"].IsArray()) {
    size_t index = 0;
    for (const json::Value& item : value["items"].Items()) TRY(AddObject(item, StrCat(place, ", items[", index++, "]"), manifests));
    return Status();
  }
  const json::Value& metadata = value["metadata"];
  if (!metadata.IsObject()) return Invalid(place, ": metadata: expected an object with a name, not ", json::KindName(metadata.kind()));
  if (!metadata["name"].IsString() || metadata["name"].AsString().empty()) {
    return Invalid(place, ": metadata.name is not set; ",
                   metadata["generateName"].IsString() ? "an object with generateName alone can only be created anew each time"
                                                       : StrCat("which ", kube::Object::Text(value["kind"]), " is this?"));
  }
  if (!metadata["namespace"].IsNull() && !metadata["namespace"].IsString()) {
    return Invalid(place, ": metadata.namespace: expected a text, not ", json::KindName(metadata["namespace"].kind()));
  }
  manifests.push_back({place, kube::CopyObject(value)});
  return Status();
}

Result<Manifest> Check(Session& session, RawManifest raw) {
  Manifest manifest{std::move(raw.place), std::move(raw.object), nullptr, ""};
  ASSIGN_OR_RETURN(manifest.resource, session.FindKind(manifest.object->api_version(), manifest.object->kind()).Context(manifest.place));
  if (!manifest.resource->type.namespaced) return manifest;
  const std::string_view own = manifest.object->namespace_name();
  if (session.has_namespace() && !own.empty() && own != session.namespace_name()) {
    return Invalid(manifest.place, ": metadata.namespace: the namespace from the provided object ", Quoted(own),
                   " does not match the namespace ", Quoted(session.namespace_name()), ". You must pass '--namespace=", own,
                   "' to perform this operation.");
  }
  manifest.namespace_name = own.empty() ? session.namespace_name() : std::string(own);
  return manifest;
}

}  // namespace

Result<std::vector<RawManifest>> ParseManifests(std::string_view text, const std::string& name) {
  ASSIGN_OR_RETURN(const std::vector<json::Document> documents, json::ParseYaml(text).Context(name));
  std::vector<RawManifest> manifests;
  size_t number = 0;
  for (const json::Document& document : documents) {
    ++number;
    if (document.root().IsNull()) continue;
    TRY(AddObject(document.root(), StrCat(name, ", document ", number), manifests));
  }
  return manifests;
}

Result<std::vector<Manifest>> ReadManifests(Session& session, const std::vector<std::string>& sources, bool recursive) {
  std::vector<Manifest> manifests;
  std::vector<std::string> wrong;
  const auto read = [&](const std::string& name, const Result<std::string>& text) -> Status {
    if (!text.ok()) return text.status();
    ASSIGN_OR_RETURN(std::vector<RawManifest> parsed, ParseManifests(*text, name));
    for (RawManifest& raw : parsed) {
      Result<Manifest> manifest = Check(session, std::move(raw));
      if (manifest.ok()) {
        manifests.push_back(*std::move(manifest));
      } else if (kube::ApiErrorOf(manifest.status()) != nullptr || manifest.status().code() == Code::kUnavailable) {
        return manifest.status();
      } else {
        wrong.push_back(manifest.status().message());
      }
    }
    return Status();
  };
  for (const std::string& source : sources) {
    if (source == "-") {
      if (const Status status = read("standard input", ReadStandardInput()); !status.ok()) wrong.push_back(status.message());
      continue;
    }
    const Result<std::vector<std::string>> files = FilesOf(session.files(), source, recursive);
    if (!files.ok()) {
      wrong.push_back(files.status().message());
      continue;
    }
    for (const std::string& file : *files) {
      if (const Status status = read(file, session.files().ReadFile(file, kMaxManifest)); !status.ok()) wrong.push_back(status.message());
    }
  }
  if (!wrong.empty()) return Invalid(Join(wrong, "\nerror: "));
  if (manifests.empty()) return Invalid("no objects in ", Join(sources, ", "));
  return manifests;
}

}  // namespace allot::cli
