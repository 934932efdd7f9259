#pragma once
// Reads the log of a container (log_file.h) from its files, while it is written and rotated.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace allot::local {

struct LogEntry {
  std::string_view time;  // "2026-01-02T03:04:05.123456789Z": of fixed length, so that texts compare as times do
  std::string_view stream;
  bool whole = false;  // the end of a line
  std::string_view text;
};

// Nothing: the line, without its end, is none.
std::optional<LogEntry> ParseEntry(std::string_view line);

// Goes through the entries from the oldest on. Not thread-safe.
class LogReader {
 public:
  // `folder` of the container's run.
  explicit LogReader(std::string folder) : folder_(std::move(folder)) {}
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Goes to where the last `lines` lines begin. Only before the first Next.
  void SeekTail(int64_t lines);

  // The next entry; its texts are good until the next call. Nothing: there is none now; there may be one later.
  std::optional<LogEntry> Next();

 private:
  bool Fill();
  bool OpenNext();
  void Open(const std::string& path);

  const std::string folder_;
  int fd_ = -1;
  bool begun_ = false;
  uint64_t inode_ = 0;
  std::string buffer_;
  size_t begin_ = 0;
};

// The last lines of the log as its reader would see them, without times.
std::string LastLines(const std::string& folder, size_t max_lines, size_t max_bytes);

}  // namespace allot::local
