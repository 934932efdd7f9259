#pragma once
// The output of a container as a file, in the format that kubelet's runtimes write (CRI):
//
//   2026-01-02T03:04:05.123456789Z stdout F a whole line
//   2026-01-02T03:04:05.123456789Z stderr P the first part of a line that is longer than kLongestLine
//
// Promises:
//   1. every line is one entry, or several of which all but the last are partial (P); a last line without an end counts as a line;
//   2. of one container at most two files are kept, `path` and the older `path`.1, each hardly longer than its limit;
//   3. what cannot be written (a full disk) is dropped: nobody waits for it.
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

  // Goes on with the file where there is one. REQUIRES max_bytes > 0.
  LogFile(std::string path, int64_t max_bytes, const Clock& clock) : path_(std::move(path)), max_bytes_(max_bytes), clock_(clock) {}
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // What a process wrote, in pieces of any length.
  void Append(Stream stream, std::string_view bytes);
  // Writes the last lines, which have no end.
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
  bool torn_ = false;  // its last entry was cut short
  std::string now_;
  std::string pending_[2];  // of each stream: the line that has no end yet
};

}  // namespace allot::local
