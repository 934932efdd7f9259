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

std::vector<std::string> Uuids(const std::vector<std::string>& environment) {
  static constexpr std::string_view kVisible = "NVIDIA_VISIBLE_DEVICES=";
  std::vector<std::string> uuids;
  for (const std::string& variable : environment) {
    if (!variable.starts_with(kVisible)) continue;
    std::string_view rest = std::string_view(variable).substr(kVisible.size());
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      AddOnce(rest.substr(0, comma), uuids);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
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
    VisibleGpu& gpu = gpus.emplace_back(VisibleGpu{.minor = minor});
    if (gpus.size() > uuids.size()) continue;
    gpu.uuid = uuids[gpus.size() - 1];
    if (const auto limit = limits.find(gpu.uuid); limit != limits.end()) gpu.limit_mib = limit->second;
  }
  return gpus;
}

}  // namespace allot::device::fake_smi
