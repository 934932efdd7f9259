#include "local/containers/log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>

#include "base/strings.h"
#include "local/containers/container_files.h"

namespace allot::local {
namespace {

constexpr size_t kBlock = 64 << 10;

// 0 if there is no such file.
uint64_t InodeOf(const std::string& path) {
  struct stat found;
  return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

}  // namespace

std::optional<LogEntry> ParseEntry(std::string_view line) {
  LogEntry entry;
  const size_t stream = line.find(' ');
  const size_t tag = stream == std::string_view::npos ? stream : line.find(' ', stream + 1);
  const size_t text = tag == std::string_view::npos ? tag : line.find(' ', tag + 1);
  if (text == std::string_view::npos || text != tag + 2) return std::nullopt;
  entry.time = line.substr(0, stream);
  entry.stream = line.substr(stream + 1, tag - stream - 1);
  entry.whole = line[tag + 1] == 'F';
  entry.text = line.substr(text + 1);
  if (entry.stream != "stdout" && entry.stream != "stderr") return std::nullopt;
  return entry;
}

LogReader::~LogReader() {
  if (fd_ >= 0) ::close(fd_);
}

void LogReader::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  struct stat found;
  inode_ = ::fstat(fd_, &found) == 0 ? found.st_ino : 0;
}

// Opens the file after the current one, which has been read to its end. Returns false if there is none.
bool LogReader::OpenNext() {
  const std::string newest = StrCat(folder_, "/", kLogFile), older = newest + ".1";
  if (!begun_) {
    Open(older);
    if (fd_ < 0) Open(newest);
    begun_ = fd_ >= 0;
    return begun_;
  }
  // The current file is either still the newest, or it was renamed to `older`, or two rotations have removed it.
  if (InodeOf(newest) == inode_) return false;
  const uint64_t before = inode_;
  Open(InodeOf(older) == inode_ ? newest : older);
  return inode_ != before;
}

// Reads more bytes; returns false if there are none.
bool LogReader::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  for (bool turned = false;;) {
    const size_t size = buffer_.size();
    buffer_.resize(size + kBlock);
    const ssize_t count = fd_ < 0 ? 0 : ::read(fd_, buffer_.data() + size, kBlock);
    buffer_.resize(size + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count > 0) return true;
    if (count < 0 && errno == EINTR) continue;
    // Read bytes that were written between our last read and the rotation before opening the next file.
    if (begun_ && !std::exchange(turned, true) && InodeOf(StrCat(folder_, "/", kLogFile)) != inode_) continue;
    // The log rotates between entries, so an unfinished entry at a file's end was cut by a full disk: drop it.
    const uint64_t before = inode_;
    if (!OpenNext()) return false;
    if (inode_ != before) buffer_.clear();
  }
}

std::optional<LogEntry> LogReader::Next() {
  for (size_t searched = begin_;;) {
    const size_t end = buffer_.find('\n', searched);
    if (end == std::string::npos) {
      const size_t pending = buffer_.size() - begin_;
      if (!Fill()) return std::nullopt;
      searched = std::min(pending, buffer_.size());
      continue;
    }
    const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
    begin_ = searched = end + 1;
    if (const std::optional<LogEntry> entry = ParseEntry(line)) return entry;
  }
}

void LogReader::SeekTail(int64_t lines) {
  // Count before skipping: lines written meanwhile are returned, too.
  int64_t count = 0;
  {
    LogReader counter(folder_);
    while (const std::optional<LogEntry> entry = counter.Next()) count += entry->whole ? 1 : 0;
  }
  for (int64_t skip = count - std::max<int64_t>(lines, 0); skip > 0;) {
    const std::optional<LogEntry> entry = Next();
    if (!entry) return;
    if (entry->whole) --skip;
  }
}

std::string LastLines(const std::string& folder, size_t max_lines, size_t max_bytes) {
  std::deque<std::string> lines(1);
  LogReader reader(folder);
  while (const std::optional<LogEntry> entry = reader.Next()) {
    lines.back() += entry->text;
    if (!entry->whole) continue;
    lines.back() += '\n';
    lines.emplace_back();
    if (lines.size() > max_lines + 1) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text.size() > max_bytes ? text.substr(text.size() - max_bytes) : text;
}

}  // namespace allot::local
