#include "local/containers/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "local/containers/container_files.h"

namespace allot::local {

LogFile::~LogFile() {
  if (fd_ >= 0) ::close(fd_);
}

void LogFile::Entry(std::string& to, Stream stream, bool whole, std::string_view text) const {
  to.append(now_).append(stream == Stream::kStdout ? " stdout " : " stderr ").append(whole ? "F " : "P ").append(text).append("\n");
}

void LogFile::Append(Stream stream, std::string_view bytes) {
  now_ = WriteNanoTime(clock_.Now());
  std::string entries;
  std::string& pending = pending_[static_cast<int>(stream)];
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const size_t room = kLongestLine - pending.size();
    const size_t length = std::min(end, bytes.size());
    if (length > room) {
      pending.append(bytes.substr(0, room));
      bytes.remove_prefix(room);
      Entry(entries, stream, false, pending);
      pending.clear();
      continue;
    }
    pending.append(bytes.substr(0, length));
    bytes.remove_prefix(length);
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(1);
    Entry(entries, stream, true, pending);
    pending.clear();
  }
  Write(entries);
}

void LogFile::Finish() {
  now_ = WriteNanoTime(clock_.Now());
  std::string entries;
  for (const Stream stream : {Stream::kStdout, Stream::kStderr}) {
    std::string& pending = pending_[static_cast<int>(stream)];
    if (!pending.empty()) Entry(entries, stream, true, pending);
    pending.clear();
  }
  Write(entries);
}

bool LogFile::Open() {
  if (fd_ >= 0) return true;
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (fd_ < 0) return false;
  struct stat found;
  size_ = ::fstat(fd_, &found) == 0 ? found.st_size : 0;
  return true;
}

void LogFile::Rotate() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  torn_ = false;
  if (std::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) ::unlink(path_.c_str());
}

// Writes in pieces of whole entries, so that a file exceeds its limit by at most one entry.
void LogFile::Write(std::string_view entries) {
  bool cut = false;
  while (!entries.empty()) {
    if (!Open()) return;
    if (size_ >= max_bytes_) Rotate();
    if (!Open() || size_ >= max_bytes_) return;
    size_t length = entries.size();
    if (const auto room = static_cast<size_t>(max_bytes_ - size_); length > room) length = entries.find('\n', room) + 1;
    if (length == 0) length = entries.size();
    // Finish the entry that a full disk cut short.
    if (torn_ && ::write(fd_, "\n", 1) != 1) return;
    size_ += torn_ ? 1 : 0;
    torn_ = false;
    const ssize_t written = ::write(fd_, entries.data(), length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      torn_ = cut;
      return;
    }
    size_ += written;
    cut = entries[static_cast<size_t>(written) - 1] != '\n';
    entries.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace allot::local
