#pragma once
// Access to files through one interface, so tests can inject failures.
//
// Every error names the path and the kernel's reason. A missing path is kNotFound, a file beyond a limit is kExhausted, and every other
// failure is kUnavailable.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot {

// Differs when the path names another file or the file's content changed.
struct FileStamp {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t modified_ns = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// The lock is held until this is destroyed or the process ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// Thread-safe.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Reads the whole file. Returns kExhausted, and stops reading, when the file is longer than `max_bytes`. Works for files of /proc and
  // /sys, which do not report their length.
  virtual Result<std::string> ReadFile(const std::string& path, size_t max_bytes) const = 0;

  // Replaces the file atomically and durably. A reader sees all of the old content or all of the new, also after a crash. When this returns
  // ok the new content is on disk. The directory must exist. Concurrent writers of one path finish in any order. A crash may leave a file
  // `path`.tmp.<number>.
  virtual Status WriteFileAtomic(const std::string& path, std::string_view content) = 0;

  // Like WriteFileAtomic but not synced, for content that can be made again: a power loss may destroy both the old and the new content.
  virtual Status ReplaceFile(const std::string& path, std::string_view content) = 0;

  // Appends to the file and creates it if it is missing. On error, part of `content` may have been written. Durable only after SyncFile.
  virtual Status AppendFile(const std::string& path, std::string_view content) = 0;
  virtual Status SyncFile(const std::string& path) = 0;

  virtual Result<FileStamp> Stamp(const std::string& path) const = 0;

  // Locks the file against other threads and processes, and creates it if it is missing. Returns kUnavailable after `wait`.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::string& path, std::chrono::milliseconds wait) = 0;

  // Returns the names in the directory, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> List(const std::string& path) const = 0;

  virtual bool Exists(const std::string& path) const = 0;

  // Removes a file or an empty directory, durably. Ok if it does not exist.
  virtual Status Remove(const std::string& path) = 0;

  // Creates the directory and its missing parents. Ok if they exist.
  virtual Status MakeDirs(const std::string& path) = 0;
};

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::string> ReadFile(const std::string& path, size_t max_bytes) const override;
  Status WriteFileAtomic(const std::string& path, std::string_view content) override;
  Status ReplaceFile(const std::string& path, std::string_view content) override;
  Status AppendFile(const std::string& path, std::string_view content) override;
  Status SyncFile(const std::string& path) override;
  Result<FileStamp> Stamp(const std::string& path) const override;
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path, std::chrono::milliseconds wait) override;
  Result<std::vector<std::string>> List(const std::string& path) const override;
  bool Exists(const std::string& path) const override;
  Status Remove(const std::string& path) override;
  Status MakeDirs(const std::string& path) override;
};

}  // namespace allot
