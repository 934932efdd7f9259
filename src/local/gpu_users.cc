#include "local/gpu_users.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "base/file_system.h"
#include "base/strings.h"
#include "http/sha256.h"

namespace allot::local {
namespace {

constexpr size_t kMostSockets = 64 << 20;  // bytes of /proc/net/unix
constexpr size_t kFolderDigits = 16;

// Returns a socket of this name, or -1 with errno. Does not allocate.
int Bind(const char* name, size_t length, int flags) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (length + 1 > sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path + 1, name, length);  // after a zero byte: an abstract name, without a file
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | flags, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0) return fd;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  errno = error;
  return -1;
}

}  // namespace

Result<GpuOffer> GpuOffer::Make(std::string_view names, const std::string& data_folder) {
  const std::string mark = StrCat(names, "/", http::Sha256Hex(data_folder).substr(0, kFolderDigits)), name = StrCat(names, "/up");
  const int fd = Bind(name.data(), name.size(), SOCK_CLOEXEC);
  if (fd < 0 && errno == EADDRINUSE) {
    return Unavailable(
        "another `allot up` offers the GPUs of this machine; stop it, use it (allot kubeconfig), or simulate GPUs with --gpus");
  }
  if (fd < 0) return Unavailable("offer the GPUs of this machine: ", std::strerror(errno));
  GpuOffer offer(mark, fd);
  if (const std::vector<pid_t> others = OtherGpuUsers(names, mark); !others.empty()) {
    return Unavailable("process ", others.front(), others.size() > 1 ? StrCat(" and ", others.size() - 1, " more") : "",
                       " of an `allot up` with another --data folder still use", others.size() > 1 ? "" : "s",
                       " the GPUs of this machine; wait until the GPUs are free, or start `allot up` with that folder");
  }
  return offer;
}

GpuOffer::~GpuOffer() {
  if (fd_ >= 0) ::close(fd_);
}

int MarkGpuUse(const char* mark, bool keep) {
  char name[sizeof(sockaddr_un::sun_path)], digits[24];
  const size_t length = std::strlen(mark);
  const auto end = std::to_chars(digits, digits + sizeof digits, ::getpid());
  const auto count = static_cast<size_t>(end.ptr - digits);
  if (length + 1 + count > sizeof name) return -1;
  std::memcpy(name, mark, length);
  name[length] = '/';
  std::memcpy(name + length + 1, digits, count);
  return Bind(name, length + 1 + count, keep ? 0 : SOCK_CLOEXEC);
}

std::vector<pid_t> OtherGpuUsers(std::string_view names, std::string_view mark) {
  std::vector<pid_t> others;
  const Result<std::string> list = PosixFileSystem().ReadFile("/proc/net/unix", kMostSockets);
  if (!list.ok()) return others;
  const std::string start = StrCat(" @", names, "/");
  for (const std::string_view line : Split(*list, '\n')) {
    const size_t at = line.find(start);
    const size_t slash = line.rfind('/');
    if (at == line.npos || slash < at + start.size() || line.substr(at + 2, slash - at - 2) == mark) continue;
    pid_t pid = 0;
    const std::string_view digits = line.substr(slash + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), pid).ec == std::errc()) others.push_back(pid);
  }
  return others;
}

}  // namespace allot::local
