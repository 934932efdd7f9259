#include "base/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <thread>

#include "base/random.h"
#include "base/system_error.h"

namespace allot {

namespace {

Status Errno(int error, std::string_view doing, const std::string& path) {
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kUnavailable;
  return Status(code, StrCat(doing, " ", path, ": ", std::generic_category().message(error)), std::make_shared<SystemError>(error));
}

class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0) : path_(path) {
    do {
      fd_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    } while (fd_ < 0 && errno == EINTR);
    if (fd_ < 0) open_error_ = errno;
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Status Opened(std::string_view doing) const { return fd_ >= 0 ? Status() : Errno(open_error_, doing, path_); }

  // Returns 0 at the end of the file.
  Result<size_t> Read(char* to, size_t size) {
    for (;;) {
      const ssize_t count = ::read(fd_, to, size);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) return Errno(errno, "read", path_);
    }
  }

  Status WriteAll(std::string_view content) {
    while (!content.empty()) {
      const ssize_t count = ::write(fd_, content.data(), content.size());
      if (count >= 0) {
        content.remove_prefix(static_cast<size_t>(count));
      } else if (errno != EINTR) {
        return Errno(errno, "write", path_);
      }
    }
    return {};
  }

  // A file system without anything to sync returns EINVAL (fsync(2)).
  Status Sync() { return ::fsync(fd_) == 0 || errno == EINVAL ? Status() : Errno(errno, "sync", path_); }

  Status SyncData() { return ::fdatasync(fd_) == 0 || errno == EINVAL ? Status() : Errno(errno, "sync", path_); }

  // Returns false if another open file description has the lock.
  Result<bool> TryLock() {
    struct flock whole = {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(fd_, F_OFD_SETLK, &whole) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    return Errno(errno, "lock", path_);
  }

  // Network file systems may report a failed write only on close.
  Status Close() {
    const int fd = std::exchange(fd_, -1);
    return ::close(fd) == 0 || errno == EINTR ? Status() : Errno(errno, "close", path_);
  }

 private:
  const std::string path_;
  int fd_ = -1;
  int open_error_ = 0;
};

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A rename or removal survives a power loss only after the directory is synced.
Status SyncDirectoryOf(const std::string& path) {
  File directory(DirectoryOf(path), O_RDONLY | O_DIRECTORY);
  TRY(directory.Opened("open"));
  return directory.Sync();
}

Status WriteNew(File& file, std::string_view content, bool sync) {
  TRY(file.WriteAll(content));
  if (sync) TRY(file.Sync());
  return file.Close();
}

Status Replace(const std::string& path, std::string_view content, bool sync) {
  // The suffix is random because every agent is process 1 in its container: a process id would collide with a file left by a crash.
  const std::string temporary = StrCat(path, ".tmp.", SystemRandom().Next64());
  File file(temporary, O_WRONLY | O_CREAT | O_EXCL, 0644);
  TRY(file.Opened("create"));
  Status written = WriteNew(file, content, sync);
  if (written.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) written = Errno(errno, "replace", path);
  if (!written.ok()) ::unlink(temporary.c_str());
  return written;
}

// Locks the open file description (fcntl(2)), so threads of one process exclude each other too.
class OpenFileLock final : public FileLock {
 public:
  explicit OpenFileLock(std::unique_ptr<File> file) : file_(std::move(file)) {}

 private:
  const std::unique_ptr<File> file_;  // closing it unlocks
};

}  // namespace

Result<std::string> PosixFileSystem::ReadFile(const std::string& path, size_t max_bytes) const {
  File file(path, O_RDONLY);
  TRY(file.Opened("open"));
  std::string content;
  for (size_t step = 4096;; step = std::min<size_t>(step * 2, 1 << 20)) {
    const size_t size = content.size();
    content.resize(size + step);
    ASSIGN_OR_RETURN(const size_t count, file.Read(content.data() + size, step));
    content.resize(size + count);
    if (content.size() > max_bytes) return Exhausted("read ", path, ": longer than ", max_bytes, " bytes");
    if (count == 0) break;
  }
  content.shrink_to_fit();
  return content;
}

Status PosixFileSystem::WriteFileAtomic(const std::string& path, std::string_view content) {
  TRY(Replace(path, content, true));
  return SyncDirectoryOf(path);
}

Status PosixFileSystem::ReplaceFile(const std::string& path, std::string_view content) { return Replace(path, content, false); }

Status PosixFileSystem::AppendFile(const std::string& path, std::string_view content) {
  const bool is_new = !Exists(path);
  File file(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  TRY(file.Opened("open"));
  TRY(file.WriteAll(content));
  TRY(file.Close());
  return is_new ? SyncDirectoryOf(path) : Status();
}

Status PosixFileSystem::SyncFile(const std::string& path) {
  File file(path, O_RDONLY);
  TRY(file.Opened("open"));
  return file.SyncData();
}

Result<FileStamp> PosixFileSystem::Stamp(const std::string& path) const {
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) return Errno(errno, "look at", path);
  return FileStamp{found.st_dev, found.st_ino, static_cast<uint64_t>(found.st_size),
                   found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
}

Result<std::unique_ptr<FileLock>> PosixFileSystem::Lock(const std::string& path, std::chrono::milliseconds wait) {
  auto file = std::make_unique<File>(path, O_RDWR | O_CREAT, 0644);
  TRY(file->Opened("open"));
  const auto deadline = std::chrono::steady_clock::now() + wait;
  // Polls at growing intervals: F_OFD_SETLKW has no timeout.
  for (auto pause = std::chrono::microseconds(50);; pause = std::min(pause * 2, std::chrono::microseconds(5000))) {
    ASSIGN_OR_RETURN(const bool locked, file->TryLock());
    if (locked) return std::unique_ptr<FileLock>(std::make_unique<OpenFileLock>(std::move(file)));
    if (std::chrono::steady_clock::now() >= deadline) {
      return Unavailable("lock ", path, ": another process has held it for ", wait.count(), " ms");
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<std::vector<std::string>> PosixFileSystem::List(const std::string& path) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (directory == nullptr) return Errno(errno, "list", path);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return Errno(errno, "list", path);
  std::sort(names.begin(), names.end());
  return names;
}

bool PosixFileSystem::Exists(const std::string& path) const {
  struct stat unused;
  return ::stat(path.c_str(), &unused) == 0;
}

Status PosixFileSystem::Remove(const std::string& path) {
  // remove(3) removes files and empty directories.
  if (::remove(path.c_str()) != 0) return errno == ENOENT || errno == ENOTDIR ? Status() : Errno(errno, "remove", path);
  return SyncDirectoryOf(path);
}

Status PosixFileSystem::MakeDirs(const std::string& path) {
  for (size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0755) == 0) {
      TRY(SyncDirectoryOf(part));
    } else if (errno != EEXIST) {
      return Errno(errno, "make directory", part);
    }
  }
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) return Errno(errno, "make directory", path);
  if (!S_ISDIR(found.st_mode)) return Errno(ENOTDIR, "make directory", path);
  return {};
}

}  // namespace allot
