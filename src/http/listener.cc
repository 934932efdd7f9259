#include "http/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/system_error.h"

namespace allot::http {
namespace {

void SetOption(int fd, int level, int name, int value) { setsockopt(fd, level, name, &value, sizeof value); }

Result<Socket> NewSocket(int family) {
  Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.fd() < 0) return Unavailable("socket: ", std::strerror(errno));
  return socket;
}

Status Bind(int fd, const sockaddr* address, socklen_t length) {
  if (bind(fd, address, length) == 0) return Status();
  const int error = errno;
  return SystemFailure(error, std::strerror(error));
}

std::string PeerText(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return StrCat(text, ":", ntohs(v4.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return StrCat("[", text, "]:", ntohs(v6.sin6_port));
  }
  return "unix";
}

// Makes the kernel notice a vanished peer after about a minute, even if the server sends nothing.
void NoticeDeadPeers(int fd) {
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

// Removes a socket file that has no listener.
Status RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat file = {};
  if (lstat(path.c_str(), &file) != 0) {
    if (errno == ENOENT) return Status();
    return Unavailable(std::strerror(errno));
  }
  if (!S_ISSOCK(file.st_mode)) return Invalid("the file exists and is not a socket; remove it or name another path");
  ASSIGN_OR_RETURN(const Socket probe, NewSocket(AF_UNIX));
  if (connect(probe.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN) {
    return SystemFailure(EBUSY, "another process listens there already");
  }
  if (errno == ENOENT) return Status();
  // Only ECONNREFUSED proves that the socket has no listener: without permission to connect we cannot know.
  if (errno != ECONNREFUSED) return Unavailable("cannot tell whether another process listens there: ", std::strerror(errno));
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return Unavailable("remove the old socket: ", std::strerror(errno));
  return Status();
}

}  // namespace

Result<Listener> Listener::Tcp(const std::string& address, int port) {
  const std::string where = StrCat("listen on ", address, " port ", port);
  if (port < 0 || port > 65535) return Invalid(where, ": a port is between 0 and 65535");
  sockaddr_in v4 = {};
  sockaddr_in6 v6 = {};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  v4.sin_port = v6.sin6_port = htons(static_cast<uint16_t>(port));
  const bool is_v4 = inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) != 1)
    return Invalid(where, ": ", Quoted(address), " is not an IP address");

  ASSIGN_OR_RETURN(Socket socket, NewSocket(is_v4 ? AF_INET : AF_INET6).Context(where));
  SetOption(socket.fd(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (!is_v4) SetOption(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, 0);  // "::" accepts IPv4 too
  const Status bound = is_v4 ? Bind(socket.fd(), reinterpret_cast<const sockaddr*>(&v4), sizeof v4)
                             : Bind(socket.fd(), reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
  TRY(Status(bound).Context(where));
  if (listen(socket.fd(), SOMAXCONN) != 0) return Unavailable(where, ": ", std::strerror(errno));

  Listener listener(std::move(socket));
  sockaddr_storage name = {};
  socklen_t length = sizeof name;
  CHECK(getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&name), &length) == 0);
  listener.port_ =
      ntohs(is_v4 ? reinterpret_cast<const sockaddr_in&>(name).sin_port : reinterpret_cast<const sockaddr_in6&>(name).sin6_port);
  return listener;
}

Result<Listener> Listener::Unix(const std::string& path, mode_t mode) {
  const std::string where = StrCat("listen on ", path);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty()) return Invalid(where, ": the path is empty");
  if (path.size() >= sizeof address.sun_path) {
    return Invalid(where, ": the path has ", path.size(), " bytes, a unix socket's has at most ", sizeof address.sun_path - 1,
                   "; choose a shorter directory");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  TRY(RemoveStale(path, address).Context(where));

  ASSIGN_OR_RETURN(Socket socket, NewSocket(AF_UNIX).Context(where));
  // On Linux the file gets the socket's mode, without the umask's bits. Set it before bind, so the file never has a wider mode than `mode`.
  if (fchmod(socket.fd(), mode) != 0) return Unavailable(where, ": set the mode: ", std::strerror(errno));
  TRY(Bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address).Context(where));
  Listener listener(std::move(socket));
  struct stat file = {};
  if (lstat(path.c_str(), &file) != 0) return Unavailable(where, ": ", std::strerror(errno));
  listener.path_ = path;
  listener.device_ = file.st_dev;
  listener.inode_ = file.st_ino;
  if (chmod(path.c_str(), mode) != 0) return Unavailable(where, ": set the mode: ", std::strerror(errno));
  if (listen(listener.fd(), SOMAXCONN) != 0) return Unavailable(where, ": ", std::strerror(errno));
  return listener;
}

Listener::~Listener() {
  if (fd() < 0 || path_.empty()) return;
  struct stat file = {};
  if (lstat(path_.c_str(), &file) == 0 && file.st_dev == device_ && file.st_ino == inode_) unlink(path_.c_str());
}

Status Listener::MoveTo(const std::string& path) {
  CHECK(!path_.empty());
  if (rename(path_.c_str(), path.c_str()) != 0) return Unavailable("rename ", path_, " to ", path, ": ", std::strerror(errno));
  path_ = path;
  return Status();
}

Result<std::optional<Accepted>> Listener::Accept() {
  for (;;) {
    sockaddr_storage address = {};
    socklen_t length = sizeof address;
    Socket socket(accept4(fd(), reinterpret_cast<sockaddr*>(&address), &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.fd() < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return std::optional<Accepted>();
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return Exhausted("accept: ", std::strerror(errno));
      CHECK(errno != EBADF && errno != EINVAL && errno != ENOTSOCK);
      continue;  // EINTR, or a pending connection that broke (see accept(2))
    }
    Accepted accepted{.socket = std::move(socket), .peer = PeerText(address), .credentials = {}};
    if (path_.empty()) {
      SetOption(accepted.socket.fd(), IPPROTO_TCP, TCP_NODELAY, 1);
      NoticeDeadPeers(accepted.socket.fd());
    } else {
      ucred peer = {};
      socklen_t size = sizeof peer;
      if (getsockopt(accepted.socket.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) {
        accepted.credentials = PeerCredentials{.uid = peer.uid, .gid = peer.gid, .pid = peer.pid};
      }
    }
    return std::optional<Accepted>(std::move(accepted));
  }
}

}  // namespace allot::http
