#include "node/nvidia/toolkit_spec.h"

#include "json/yaml.h"
#include "model/reader.h"

namespace allot::node::nvidia {

namespace {

constexpr std::string_view kKind = "nvidia.com/gpu";
constexpr size_t kMaxSpec = 8 << 20;
constexpr std::string_view kOwnPrefix = "k8s.gpu.nvidia.com-";

bool MayBeSpec(std::string_view name) {
  return (name.ends_with(".yaml") || name.ends_with(".json")) && !name.starts_with('.') && !name.starts_with(kOwnPrefix);
}

std::set<std::string, std::less<>> DevicesIn(const FileSystem& files, const std::string& path) {
  std::set<std::string, std::less<>> devices;
  const Result<std::string> text = files.ReadFile(path, kMaxSpec);
  if (!text.ok()) return devices;
  const Result<std::vector<json::Document>> documents = json::ParseYaml(*text);
  if (!documents.ok() || documents->empty() || !documents->front().root().IsObject()) return devices;
  const model::Reader spec(documents->front().root());
  if (spec.Text("kind") != kKind) return devices;
  spec.Each("devices", [&](const model::Reader& device) { devices.emplace(device.Text("name")); });
  return devices;
}

}  // namespace

bool ToolkitSpec::Has(std::string_view device) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, Known> known;
  for (const std::string& folder : folders_) {
    const Result<std::vector<std::string>> names = files_.List(folder);
    if (!names.ok()) continue;
    for (const std::string& name : *names) {
      if (!MayBeSpec(name)) continue;
      const std::string path = StrCat(folder, "/", name);
      const Result<FileStamp> stamp = files_.Stamp(path);
      if (!stamp.ok()) continue;
      const auto before = known_.find(path);
      const bool same = before != known_.end() && before->second.stamp == *stamp;
      known.emplace(path, same ? std::move(before->second) : Known{*stamp, DevicesIn(files_, path)});
    }
  }
  known_ = std::move(known);
  for (const auto& [path, one] : known_) {
    if (one.devices.contains(device)) return true;
  }
  return false;
}

}  // namespace allot::node::nvidia
