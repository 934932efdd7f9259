#include "device/nvidia/driver_root.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <deque>

namespace allot::device::nvidia {
namespace {

constexpr int kMostLinks = 40;  // as the kernel's

#if defined(__aarch64__)
constexpr std::string_view kMultiarch = "aarch64-linux-gnu";
#else
constexpr std::string_view kMultiarch = "x86_64-linux-gnu";
#endif

// Inserts the components of `path` before `parts`.
void Prepend(std::string_view path, std::deque<std::string>& parts) {
  const std::vector<std::string_view> names = Split(path, '/');
  parts.insert(parts.begin(), names.begin(), names.end());
}

std::string WithoutSlash(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

DriverRoot::DriverRoot(std::string path) : path_(WithoutSlash(std::move(path))) {}

Result<std::string> DriverRoot::Resolve(std::string_view path) const {
  std::deque<std::string> parts;
  Prepend(path, parts);
  std::string resolved;  // below path_; every component exists and is not a link
  int links = 0;
  while (!parts.empty()) {
    const std::string name = std::move(parts.front());
    parts.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      resolved.erase(resolved.empty() ? 0 : resolved.rfind('/'));
      continue;
    }
    const std::string next = StrCat(path_, resolved, "/", name);
    struct stat info = {};
    if (lstat(next.c_str(), &info) != 0) return NotFound(path_, path, ": no such file");
    if (!S_ISLNK(info.st_mode)) {
      resolved += StrCat("/", name);
      continue;
    }
    char target[PATH_MAX];
    const ssize_t size = readlink(next.c_str(), target, sizeof target);
    if (size <= 0 || ++links > kMostLinks) return NotFound(path_, path, ": a link that cannot be followed");
    if (target[0] == '/') resolved.clear();
    Prepend(std::string_view(target, static_cast<size_t>(size)), parts);
  }
  return path_ + resolved;
}

Result<std::string> DriverRoot::FindLibrary(std::string_view name) const {
  for (const std::string& folder : LibraryFolders()) {
    const Result<std::string> file = Resolve(StrCat(folder, "/", name));
    struct stat info = {};
    if (file.ok() && stat(file->c_str(), &info) == 0 && S_ISREG(info.st_mode)) return *file;
  }
  return NotFound("no ", name, " under the driver root ", path_.empty() ? "/" : path_, " (searched ", Join(LibraryFolders(), ", "),
                  "); install the NVIDIA driver on this machine, or name the folder that holds it as driver root");
}

const std::vector<std::string>& DriverRoot::LibraryFolders() {
  static const std::vector<std::string> folders = [] {
    std::vector<std::string> list;
    for (const std::string& folder : {StrCat("/usr/lib/", kMultiarch), std::string("/usr/lib64"), std::string("/usr/lib"),
                                      StrCat("/lib/", kMultiarch), std::string("/lib64"), std::string("/lib")}) {
      list.push_back(folder);
      list.push_back(folder + "/nvidia/current");  // Debian's alternatives point there
    }
    list.emplace_back("/usr/lib/wsl/lib");         // WSL 2
    list.emplace_back("/usr/local/nvidia/lib64");  // Google's Container-Optimized OS
    list.emplace_back("/run/opengl-driver/lib");   // NixOS
    return list;
  }();
  return folders;
}

}  // namespace allot::device::nvidia
