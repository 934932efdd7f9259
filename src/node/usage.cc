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

}  // namespace allot::node
