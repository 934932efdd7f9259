#include "device/fake_smi/visible.h"

#include <dirent.h>

#include <algorithm>
#include <charconv>

namespace allot::device::fake_smi {
namespace {

template <typename Number>
std::optional<Number> ToNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::vector<int> Minors(const std::string& dev) {
  static constexpr std::string_view kPrefix = "nvidia";
  std::vector<int> minors;
  DIR* folder = opendir(dev.c_str());
  if (!folder) return minors;
  while (const dirent* entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(kPrefix)) continue;
    if (const auto minor = ToNumber<int>(name.substr(kPrefix.size())); minor && *minor >= 0) minors.push_back(*minor);
  }
  closedir(folder);
  std::ranges::sort(minors);
  return minors;
}

bool IsUuid(std::string_view text) { return text.starts_with("GPU-") || text.starts_with("MIG-"); }

void AddOnce(std::string_view uuid, std::vector<std::string>& uuids) {
  if (IsUuid(uuid) && std::ranges::find(uuids, uuid) == uuids.end()) uuids.emplace_back(uuid);
}

// Returns the value of the variable, or nothing.
std::optional<std::string_view> ValueOf(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string_view variable : environment) {
    if (variable.starts_with(name) && variable.substr(name.size()).starts_with('=')) return variable.substr(name.size() + 1);
  }
  return std::nullopt;
}

// Removes the text before the separator from `text` and returns it.
std::string_view Next(std::string_view& rest, char separator) {
  const size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::vector<VisibleGpu> ReadList(std::string_view list) {
  std::vector<VisibleGpu> gpus;
  while (!list.empty()) {
    std::string_view line = Next(list, '\n');
    const auto minor = ToNumber<int>(Next(line, ' '));
    VisibleGpu gpu{.minor = minor.value_or(-1), .uuid = std::string(Next(line, ' ')), .limit_mib = {}, .name = "", .whole_mib = {}};
    gpu.whole_mib = ToNumber<int64_t>(Next(line, ' '));
    gpu.name = line;
    if (minor && IsUuid(gpu.uuid)) gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::vector<std::string> Uuids(const std::vector<std::string>& environment) {
  std::vector<std::string> uuids;
  std::string_view named = ValueOf(environment, "NVIDIA_VISIBLE_DEVICES").value_or("");
  while (!named.empty()) AddOnce(Next(named, ','), uuids);
  for (const auto& [uuid, limit] : MemoryLimits(environment)) AddOnce(uuid, uuids);
  return uuids;
}

}  // namespace

std::map<std::string, int64_t> MemoryLimits(const std::vector<std::string>& environment) {
  static constexpr std::string_view kPrefix = "ALLOT_GPU_MEMORY_";
  std::map<std::string, int64_t> limits;
  for (const std::string_view variable : environment) {
    const size_t equals = variable.find('=');
    if (!variable.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    std::string uuid(variable.substr(kPrefix.size(), equals - kPrefix.size()));
    uuid.resize(std::min(uuid.find("__"), uuid.size()));
    std::ranges::replace(uuid, '_', '-');
    const auto mib = ToNumber<int64_t>(variable.substr(equals + 1));
    if (IsUuid(uuid) && mib) limits[uuid] += *mib;
  }
  return limits;
}

std::vector<VisibleGpu> FindVisible(const std::string& dev, const std::vector<std::string>& environment) {
  const std::vector<std::string> uuids = Uuids(environment);
  const std::map<std::string, int64_t> limits = MemoryLimits(environment);
  std::vector<VisibleGpu> gpus;
  for (const int minor : Minors(dev)) {
    VisibleGpu& gpu = gpus.emplace_back();
    gpu.minor = minor;
    if (gpus.size() > uuids.size()) continue;
    gpu.uuid = uuids[gpus.size() - 1];
    if (const auto limit = limits.find(gpu.uuid); limit != limits.end()) gpu.limit_mib = limit->second;
  }
  return gpus;
}

std::vector<VisibleGpu> FindListed(std::string_view list, const std::vector<std::string>& environment) {
  const std::map<std::string, int64_t> limits = MemoryLimits(environment);
  std::vector<VisibleGpu> gpus = ReadList(list);
  for (VisibleGpu& gpu : gpus) {
    if (const auto limit = limits.find(gpu.uuid); limit != limits.end()) gpu.limit_mib = limit->second;
  }
  std::optional<std::string_view> named = ValueOf(environment, "NVIDIA_VISIBLE_DEVICES");
  if (!named) named = ValueOf(environment, "CUDA_VISIBLE_DEVICES");
  if (!named || *named == "all") return gpus;
  std::vector<std::string> uuids;
  while (!named->empty()) AddOnce(Next(*named, ','), uuids);
  std::vector<VisibleGpu> visible;
  for (const std::string& uuid : uuids) {
    const auto found = std::ranges::find(gpus, uuid, &VisibleGpu::uuid);
    if (found != gpus.end()) visible.push_back(*found);
  }
  return visible;
}

}  // namespace allot::device::fake_smi
