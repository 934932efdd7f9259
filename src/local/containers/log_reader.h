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
  bool whole = false;  // false: the line continues in the next entry
  std::string_view text;
};

// nullopt if the line, given without its end, is not an entry.
std::optional<LogEntry> ParseEntry(std::string_view line);

// Reads the entries, oldest first. Not thread-safe.
class LogReader {
 public:
  // `folder` is that of the container (container_files.h).
  explicit LogReader(std::string folder) : folder_(std::move(folder)) {}
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Skips to the beginning of the last `lines` lines. Call it only before the first Next.
  void SeekTail(int64_t lines);

  // The next entry; its texts are valid until the next call. nullopt if there is none yet.
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

// The last lines of the log, without times.
std::string LastLines(const std::string& folder, size_t max_lines, size_t max_bytes);

}  // namespace allot::local
