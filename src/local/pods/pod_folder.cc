#include "local/pods/pod_folder.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "json/editor.h"
#include "json/json.h"
#include "local/containers/containers.h"

namespace allot::local {
namespace {

constexpr size_t kLongestRecord = 1 << 20;
constexpr std::string_view kRecordFile = "pod.json";

std::vector<std::string> NamesIn(const FileSystem& files, const std::string& folder) {
  Result<std::vector<std::string>> names = files.List(folder);
  return names.ok() ? *std::move(names) : std::vector<std::string>();
}

}  // namespace

std::string PodRecord::ToJson() const {
  json::Arena arena;
  json::Editor edit(arena);
  std::vector<json::Value> items;
  for (const node::ClaimRef& claim : claims) {
    items.push_back(
        edit.Object({{"namespace", edit.String(claim.name_space)}, {"name", edit.String(claim.name)}, {"uid", edit.String(claim.uid)}}));
  }
  return json::Write(edit.Object(
      {{"namespace", edit.String(name_space)}, {"name", edit.String(name)}, {"uid", edit.String(uid)}, {"claims", edit.Array(items)}}));
}

Status PodFolder::Write(const PodRecord& record) {
  // Retry: the removal of another Pod with this name may have removed the parent folders.
  Status made = files_.MakeDirs(path_);
  for (int i = 0; i < 3 && !made.ok(); ++i) made = files_.MakeDirs(path_);
  TRY(std::move(made));
  return files_.WriteFileAtomic(StrCat(path_, "/", kRecordFile), record.ToJson());
}

Result<PodRecord> PodFolder::Read() const {
  ASSIGN_OR_RETURN(const std::string text, files_.ReadFile(StrCat(path_, "/", kRecordFile), kLongestRecord));
  Result<json::Document> document = json::Parse(text);
  if (!document.ok()) return Invalid(path_, "/", kRecordFile, ": ", document.status().message());
  const auto text_of = [](const json::Value& value) { return std::string(json::TextOf(value)); };
  const json::Value& root = document->root();
  PodRecord record{text_of(root["namespace"]), text_of(root["name"]), text_of(root["uid"]), {}};
  for (const json::Value& claim : json::ItemsOf(root["claims"])) {
    record.claims.push_back({text_of(claim["namespace"]), text_of(claim["name"]), text_of(claim["uid"])});
  }
  return record;
}

std::vector<int> PodFolder::Attempts(std::string_view container) const {
  std::vector<int> attempts;
  for (const std::string& name : NamesIn(files_, StrCat(path_, "/", container))) {
    int attempt = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), attempt);
    if (error == std::errc() && end == name.data() + name.size()) attempts.push_back(attempt);
  }
  std::sort(attempts.begin(), attempts.end());
  return attempts;
}

std::vector<std::string> PodFolder::Containers() const {
  std::vector<std::string> containers;
  for (const std::string& name : NamesIn(files_, path_)) {
    if (!Attempts(name).empty()) containers.push_back(name);
  }
  return containers;
}

Status PodFolder::Remove() {
  TRY(RemoveTree(path_));
  std::string above = path_;
  for (int level = 0; level < 2; ++level) {  // NAME, then NAMESPACE
    above.resize(above.rfind('/'));
    if (::rmdir(above.c_str()) != 0) break;  // not empty
  }
  return Status();
}

std::vector<PodFolder> FindPodFolders(FileSystem& files, const std::string& node) {
  std::vector<PodFolder> found;
  for (const std::string& name_space : NamesIn(files, node)) {
    for (const std::string& name : NamesIn(files, StrCat(node, "/", name_space))) {
      for (const std::string& uid : NamesIn(files, StrCat(node, "/", name_space, "/", name))) {
        found.emplace_back(files, node, name_space, name, uid);
      }
    }
  }
  return found;
}

}  // namespace allot::local
