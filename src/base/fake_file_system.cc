#include "base/fake_file_system.h"

#include <cerrno>
#include <system_error>

namespace allot {

namespace {

Status Errno(int error, std::string_view doing, const std::string& path) {
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kUnavailable;
  return Status(code, StrCat(doing, " ", path, ": ", std::generic_category().message(error)));
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

// Returns the name of `path` within `directory`, or empty unless `path` is a direct child.
std::string ChildOf(const std::string& directory, const std::string& path) {
  const std::string prefix = directory == "/" ? "/" : directory + "/";
  if (!path.starts_with(prefix) || path.size() == prefix.size()) return {};
  const std::string below = path.substr(prefix.size());
  return below.find('/') == std::string::npos ? below : std::string();
}

}  // namespace

void FakeFileSystem::FailFromChange(int n) {
  const std::lock_guard lock(mutex_);
  fail_from_ = changes_ + n;
}

void FakeFileSystem::Repair() {
  const std::lock_guard lock(mutex_);
  fail_from_.reset();
  unreadable_.clear();
}

void FakeFileSystem::FailReadsOf(const std::string& path) {
  const std::lock_guard lock(mutex_);
  unreadable_.insert(path);
}

int FakeFileSystem::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

Status FakeFileSystem::Change(std::string_view doing, const std::string& path) {
  ++changes_;
  if (fail_from_ && changes_ >= *fail_from_) return Errno(ENOSPC, doing, path);
  return {};
}

Result<std::string> FakeFileSystem::ReadFile(const std::string& path, size_t max_bytes) const {
  const std::lock_guard lock(mutex_);
  if (unreadable_.contains(path)) return Errno(EIO, "read", path);
  if (directories_.contains(path)) return Errno(EISDIR, "read", path);
  const auto found = files_.find(path);
  if (found == files_.end()) return Errno(ENOENT, "open", path);
  if (found->second.size() > max_bytes) return Exhausted("read ", path, ": longer than ", max_bytes, " bytes");
  return found->second;
}

Status FakeFileSystem::WriteFileAtomic(const std::string& path, std::string_view content) {
  const std::lock_guard lock(mutex_);
  TRY(Change("write", path));
  if (!directories_.contains(DirectoryOf(path))) return Errno(ENOENT, "create", path);
  if (directories_.contains(path)) return Errno(EISDIR, "replace", path);
  files_[path] = content;
  return {};
}

Status FakeFileSystem::AppendFile(const std::string& path, std::string_view content) {
  const std::lock_guard lock(mutex_);
  TRY(Change("write", path));
  if (!directories_.contains(DirectoryOf(path))) return Errno(ENOENT, "open", path);
  files_[path] += content;
  return {};
}

Status FakeFileSystem::SyncFile(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TRY(Change("sync", path));
  return files_.contains(path) ? Status() : Errno(ENOENT, "open", path);
}

Result<FileStamp> FakeFileSystem::Stamp(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end()) return Errno(ENOENT, "look at", path);
  return FileStamp{0, 0, found->second.size(), static_cast<int64_t>(std::hash<std::string>()(found->second))};
}

Result<std::unique_ptr<FileLock>> FakeFileSystem::Lock(const std::string& path, std::chrono::milliseconds) {
  const std::lock_guard lock(mutex_);
  TRY(Change("lock", path));
  files_.try_emplace(path);
  return std::make_unique<FileLock>();
}

Result<std::vector<std::string>> FakeFileSystem::List(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  if (unreadable_.contains(path)) return Errno(EIO, "list", path);
  if (files_.contains(path)) return Errno(ENOTDIR, "list", path);
  if (!directories_.contains(path)) return Errno(ENOENT, "list", path);
  std::set<std::string> names;
  for (const auto& [file, content] : files_) names.insert(ChildOf(path, file));
  for (const std::string& directory : directories_) names.insert(ChildOf(path, directory));
  names.erase("");
  return std::vector<std::string>(names.begin(), names.end());
}

bool FakeFileSystem::Exists(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return files_.contains(path) || directories_.contains(path);
}

Status FakeFileSystem::Remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TRY(Change("remove", path));
  if (files_.erase(path) > 0 || !directories_.contains(path)) return {};
  for (const auto& [file, content] : files_) {
    if (!ChildOf(path, file).empty()) return Errno(ENOTEMPTY, "remove", path);
  }
  for (const std::string& directory : directories_) {
    if (!ChildOf(path, directory).empty()) return Errno(ENOTEMPTY, "remove", path);
  }
  directories_.erase(path);
  return {};
}

Status FakeFileSystem::MakeDirs(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TRY(Change("make directory", path));
  for (size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string part = path.substr(0, end);
    if (files_.contains(part)) return Errno(ENOTDIR, "make directory", path);
    directories_.insert(part);
  }
  return {};
}

}  // namespace allot
