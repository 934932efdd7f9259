#pragma once
// The output of a container as a file, in the format that kubelet's runtimes write (CRI):
//
//   2026-01-02T03:04:05.123456789Z stdout F a whole line
//   2026-01-02T03:04:05.123456789Z stderr P the first part of a line that is longer than kLongestLine
//
// Promises:
//   1. every line is one or several entries; all entries of a line except the last are partial (P). A last line without an end is a line;
//   2. a container has at most two files, `path` and the older `path`.1, each about as long as its limit;
//   3. output that cannot be written (a full disk) is dropped: the container never blocks on its log.
// Not thread-safe.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace allot::local {

class LogFile {
 public:
  enum class Stream { kStdout, kStderr };
  static constexpr size_t kLongestLine = 16 << 10;  // bytes of an entry's text

  // Appends to the file if it exists. REQUIRES max_bytes > 0.
  LogFile(std::string path, int64_t max_bytes, const Clock& clock) : path_(std::move(path)), max_bytes_(max_bytes), clock_(clock) {}
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Writes a process's output, in pieces of any length.
  void Append(Stream stream, std::string_view bytes);
  // Writes the unfinished last lines.
  void Finish();

 private:
  void Entry(std::string& to, Stream stream, bool whole, std::string_view text) const;
  void Write(std::string_view entries);
  bool Open();
  void Rotate();

  const std::string path_;
  const int64_t max_bytes_;
  const Clock& clock_;
  int fd_ = -1;
  int64_t size_ = 0;
  bool torn_ = false;  // a full disk cut the last entry short
  std::string now_;
  std::string pending_[2];  // each stream's unfinished line
};

}  // namespace allot::local
