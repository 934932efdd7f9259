#pragma once
// Files, behind one interface so that tests can make them fail.
//
// Every error names the path and what the kernel said. What does not exist is kNotFound, other trouble is kUnavailable, and a file beyond
// a limit is kExhausted.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot {

// Tells two states of a path apart: another file, or the same one with other content.
struct FileStamp {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t modified_ns = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Held until it is destroyed, or the process ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// Safe to use from several threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // The whole file. kExhausted, without reading on, when it is longer than `max_bytes`. Works on /proc and /sys too, whose files do not
  // know their length.
  virtual Result<std::string> ReadFile(const std::string& path, size_t max_bytes) const = 0;

  // Replaces the file: whoever reads it, also after a crash, sees all of the old content or all of the new one, and the new one once this
  // has returned. The directory must exist. Concurrent writers of one path may be in any order. A crash may leave a file
  // `path`.tmp.<something>.
  virtual Status WriteFileAtomic(const std::string& path, std::string_view content) = 0;

  // The same for what can be made again: readers see old or new, but after a loss of power perhaps neither.
  virtual Status ReplaceFile(const std::string& path, std::string_view content) = 0;

  // Adds to the end of the file, which it makes where there is none. After an error a part of `content` may be there. Lasting only after
  // SyncFile.
  virtual Status AppendFile(const std::string& path, std::string_view content) = 0;
  virtual Status SyncFile(const std::string& path) = 0;

  virtual Result<FileStamp> Stamp(const std::string& path) const = 0;

  // Locks out whoever else locks the file, thread or process; makes the file where there is none. kUnavailable after `wait`.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::string& path, std::chrono::milliseconds wait) = 0;

  // The names in the directory, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> List(const std::string& path) const = 0;

  virtual bool Exists(const std::string& path) const = 0;

  // A file or an empty directory. Ok when it is not there; lasting once this has returned.
  virtual Status Remove(const std::string& path) = 0;

  // The directory and those above it. Ok when they are there.
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
