#include "node/usage.h"

#include <algorithm>

namespace allot::node {

namespace {

constexpr size_t kUidSize = 36;
constexpr size_t kMaxCgroups = 64 << 10;

bool IsUid(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return text.size() == kUidSize;
}

}  // namespace

std::string PodOfCgroups(std::string_view text) {
  for (size_t at = text.find("pod"); at != std::string_view::npos; at = text.find("pod", at + 1)) {
    std::string uid(text.substr(at + 3, kUidSize));
    std::replace(uid.begin(), uid.end(), '_', '-');
    if (IsUid(uid)) return uid;
  }
  return {};
}

std::string PodOfProcess(const FileSystem& files, const std::string& proc, int64_t pid) {
  const Result<std::string> text = files.ReadFile(StrCat(proc, "/", pid, "/cgroup"), kMaxCgroups);
  return text.ok() ? PodOfCgroups(*text) : std::string();
}

std::map<std::string, ClaimUse, std::less<>> UseOfClaims(const DeviceUse& use, const PodsOfClaims& pods_of_claims, const FileSystem& files,
                                                         const std::string& proc) {
  std::map<std::string, std::map<std::string, int64_t>> by_pod;  // UID of the Pod, UUID of the device
  for (const DeviceUse::Process& process : use.processes) {
    if (const std::string pod = PodOfProcess(files, proc, process.pid); !pod.empty()) by_pod[pod][process.uuid] += process.used_mib;
  }
  std::map<std::string, ClaimUse, std::less<>> claims;
  for (const auto& [uid, pods] : pods_of_claims) {
    ClaimUse& claim = claims[uid];
    for (const PodRef& pod : pods) {
      claim.pods.push_back(pod.name);
      for (const auto& [uuid, mib] : by_pod[pod.uid]) claim.used_mib[uuid] += mib;
    }
  }
  return claims;
}

}  // namespace allot::node
