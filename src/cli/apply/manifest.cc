#include "cli/apply/manifest.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

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

// Appends the files of a folder; kNotFound if it has none.
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
  if (found.empty()) return NotFound(source, ": no *.yaml, *.yml or *.json in this folder", recursive ? "" : "; -R reads subfolders, too");
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
                   metadata["generateName"].IsString()
                       ? "an object with only generateName cannot be applied, because each apply would create another one"
                       : StrCat("which ", kube::Object::Text(value["kind"]), " is this?"));
  }
  if (!metadata["namespace"].IsNull() && !metadata["namespace"].IsString()) {
    return Invalid(place, ": metadata.namespace: expected a text, not ", json::KindName(metadata["namespace"].kind()));
  }
  manifests.push_back({place, kube::CopyObject(value)});
  return Status();
}

bool IsDefinition(const kube::Object& object) {
  return object.kind() == "CustomResourceDefinition" && object.api_version().starts_with("apiextensions.k8s.io/");
}

// The kind of this version that a definition defines; nullopt if it does not define it.
std::optional<kube::ApiResource> KindOf(const kube::Object& definition, std::string_view api_version, std::string_view kind) {
  const json::Value& spec = definition.json()["spec"];
  const json::Value& names = spec["names"];
  if (kube::Object::Text(names["kind"]) != kind || !spec["versions"].IsArray()) return std::nullopt;
  for (const json::Value& version : spec["versions"].Items()) {
    kube::ApiResource resource;
    resource.type.group = kube::Object::Text(spec["group"]);
    resource.type.version = kube::Object::Text(version["name"]);
    resource.type.plural = kube::Object::Text(names["plural"]);
    resource.type.kind = kind;
    resource.type.namespaced = kube::Object::Text(spec["scope"]) != "Cluster";
    const bool served = json::IsTrue(version["served"]);
    if (served && !resource.type.plural.empty() && resource.type.ApiVersion() == api_version) return resource;
  }
  return std::nullopt;
}

// Finds the kinds of manifests, at the server or in definitions among the manifests.
class Kinds {
 public:
  Kinds(Session& session, const std::vector<RawManifest>& raws) : session_(session) {
    for (const RawManifest& raw : raws) {
      if (IsDefinition(*raw.object)) definitions_.push_back(raw.object);
    }
  }

  Status Find(Manifest& manifest) {
    const std::pair<std::string, std::string> key(manifest.object->api_version(), manifest.object->kind());
    const auto known = expected_.find(key);
    if (known == expected_.end()) {
      const Result<const kube::ApiResource*> found = session_.FindKind(key.first, key.second);
      if (found.ok()) return manifest.resource = *found, Status();
      if (found.status().code() != Code::kNotFound || kube::ApiErrorOf(found.status()) != nullptr) return found.status();
      for (const kube::ObjectPtr& definition : definitions_) {
        if (auto resource = KindOf(*definition, key.first, key.second)) expected_[key] = session_.Expect(*std::move(resource));
      }
      if (!expected_.contains(key)) return found.status();
    }
    manifest.resource = expected_[key];
    manifest.awaits_definition = true;
    return Status();
  }

 private:
  Session& session_;
  std::vector<kube::ObjectPtr> definitions_;
  std::map<std::pair<std::string, std::string>, const kube::ApiResource*> expected_;  // by apiVersion and kind
};

Result<Manifest> Check(Session& session, Kinds& kinds, const RawManifest& raw) {
  Manifest manifest{raw.place, raw.object, nullptr, "", raw.text};
  TRY(kinds.Find(manifest).Context(manifest.place));
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

// The documents of all sources; appends errors to `wrong`.
std::vector<RawManifest> ReadSources(const FileSystem& files, const std::vector<std::string>& sources, bool recursive,
                                     std::vector<std::string>& wrong) {
  std::vector<RawManifest> raws;
  const auto read = [&](const std::string& name, const Result<std::string>& text) -> Status {
    if (!text.ok()) return text.status();
    ASSIGN_OR_RETURN(std::vector<RawManifest> parsed, ParseManifests(*text, name));
    for (RawManifest& raw : parsed) raws.push_back(std::move(raw));
    return Status();
  };
  const auto note = [&](const Status& status) {
    if (!status.ok()) wrong.push_back(status.message());
  };
  for (const std::string& source : sources) {
    if (source == "-") {
      note(read("standard input", ReadStandardInput()));
    } else if (source.starts_with("https://") || source.starts_with("http://")) {
      note(Unsupported(source, ": addresses are not read; fetch it first, and look at it: curl -L ", source, " >FILE"));
    } else if (const Result<std::vector<std::string>> found = FilesOf(files, source, recursive); !found.ok()) {
      note(found.status());
    } else {
      for (const std::string& file : *found) note(read(file, files.ReadFile(file, kMaxManifest)));
    }
  }
  return raws;
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
  const auto whole = std::make_shared<const std::string>(text);
  for (RawManifest& manifest : manifests) manifest.text = whole;
  return manifests;
}

size_t LineOfField(std::string_view text, std::string_view path) {
  // A name in brackets is a key ("limits[cpu]": cpu), a number is not ("containers[0]": containers).
  while (path.ends_with(']')) {
    const size_t open = path.rfind('[');
    if (open == path.npos) return 0;
    const std::string_view inner = path.substr(open + 1, path.size() - open - 2);
    const bool is_key = !inner.empty() && inner.find_first_not_of("0123456789") != inner.npos && inner.find('=') == inner.npos;
    path = is_key ? inner : path.substr(0, open);
    if (is_key) break;
  }
  const std::string key(path.substr(path.rfind('.') + 1));
  if (key.empty()) return 0;
  size_t found = 0, number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    for (size_t at = line.find(key); at != line.npos; at = line.find(key, at + 1)) {
      const char before = at == 0 ? ' ' : line[at - 1];
      const std::string_view rest = line.substr(at + key.size());
      const bool is_key = (before == ' ' || before == '{' || before == ',' || before == '"' || before == '\'') &&
                          (rest.starts_with(':') || rest.starts_with("\":") || rest.starts_with("':"));
      if (!is_key) continue;
      if (found != 0 && found != number) return 0;
      found = number;
    }
  }
  return found;
}

Result<std::vector<Manifest>> ReadManifests(Session& session, const std::vector<std::string>& sources, bool recursive) {
  std::vector<std::string> wrong;
  const std::vector<RawManifest> raws = ReadSources(session.files(), sources, recursive, wrong);
  Kinds kinds(session, raws);
  std::vector<Manifest> manifests;
  bool awaited = false;
  for (const RawManifest& raw : raws) {
    Result<Manifest> manifest = Check(session, kinds, raw);
    if (manifest.ok()) {
      awaited |= manifest->awaits_definition;
      manifests.push_back(*std::move(manifest));
      continue;
    }
    wrong.push_back(manifest.status().message());
    // Report a server that does not answer only once, not for each manifest.
    if (kube::ApiErrorOf(manifest.status()) != nullptr || manifest.status().code() == Code::kUnavailable) break;
  }
  if (!wrong.empty()) return Invalid(Join(wrong, "\nerror: "));
  if (manifests.empty()) return Invalid("no objects in ", Join(sources, ", "));
  if (awaited) {
    std::stable_partition(manifests.begin(), manifests.end(), [](const Manifest& manifest) { return IsDefinition(*manifest.object); });
  }
  return manifests;
}

Result<std::vector<Target>> ManifestTargets(Session& session, const std::vector<std::string>& sources, bool recursive) {
  ASSIGN_OR_RETURN(const std::vector<Manifest> manifests, ReadManifests(session, sources, recursive));
  std::vector<Target> targets;
  for (const Manifest& manifest : manifests) {
    const bool same =
        !targets.empty() && targets.back().resource == manifest.resource && targets.back().namespace_name == manifest.namespace_name;
    if (!same) targets.push_back({manifest.resource, {}, manifest.namespace_name});
    targets.back().names.emplace_back(manifest.object->name());
  }
  return targets;
}

}  // namespace allot::cli
