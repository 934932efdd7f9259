#pragma once
// Files in memory, with failures that a test injects.

#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/file_system.h"

namespace allot {

// Paths are compared as written, without resolving "." and "..". "/" exists.
class FakeFileSystem final : public FileSystem {
 public:
  Result<std::string> ReadFile(const std::string& path, size_t max_bytes) const override;
  Status WriteFileAtomic(const std::string& path, std::string_view content) override;
  Status ReplaceFile(const std::string& path, std::string_view content) override { return WriteFileAtomic(path, content); }
  Status AppendFile(const std::string& path, std::string_view content) override;
  Status SyncFile(const std::string& path) override;
  Result<FileStamp> Stamp(const std::string& path) const override;
  // Never waits: a test has one user at a time.
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path, std::chrono::milliseconds wait) override;
  Result<std::vector<std::string>> List(const std::string& path) const override;
  bool Exists(const std::string& path) const override;
  Status Remove(const std::string& path) override;
  Status MakeDirs(const std::string& path) override;

  // From the nth change on (1 is the next WriteFileAtomic, AppendFile, SyncFile, Lock, Remove or MakeDirs), every change fails with "No
  // space left on device" and does nothing, until Repair.
  void FailFromChange(int n);
  void Repair();
  // Every read of `path` fails with "Input/output error".
  void FailReadsOf(const std::string& path);
  // How many changes were attempted, including failed ones.
  int changes() const;

 private:
  Status Change(std::string_view doing, const std::string& path);

  mutable std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::set<std::string> directories_{"/"};
  std::set<std::string> unreadable_;
  int changes_ = 0;
  std::optional<int> fail_from_;
};

}  // namespace allot
