#include "http/dial.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <memory>
#include <thread>

#include "base/check.h"

namespace allot::http {
namespace {

// Returns the milliseconds for poll(2), rounded up so that the last fraction does not cause a busy loop.
int TimeLeft(const std::optional<MonotonicTime>& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

Status AwaitFd(int fd, short events, const Patience& patience) {
  for (;;) {
    if (patience.cancel != nullptr && patience.cancel->requested()) return Unavailable("cancelled");
    pollfd polled[] = {{fd, events, 0}, {patience.cancel != nullptr ? patience.cancel->fd() : -1, POLLIN, 0}};
    const int ready = poll(polled, 2, TimeLeft(patience.deadline));
    if (ready < 0 && errno == EINTR) continue;
    CHECK(ready >= 0);
    if (ready == 0) return Unavailable("no answer in time");
    if (polled[0].revents != 0) return Status();
  }
}

// Returns a connected socket, or the kernel's error.
Result<Socket> Connect(int family, const sockaddr* address, socklen_t length, const Patience& patience) {
  Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.fd() < 0) return Unavailable("socket: ", std::strerror(errno));
  if (connect(socket.fd(), address, length) != 0) {
    if (errno != EINPROGRESS) return Unavailable(std::strerror(errno));
    TRY(AwaitFd(socket.fd(), POLLOUT, patience));
    int error = 0;
    socklen_t size = sizeof error;
    CHECK(getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size) == 0);
    if (error != 0) return Unavailable(std::strerror(error));
  }
  if (family != AF_UNIX) {
    const auto set = [&](int level, int name, int value) { setsockopt(socket.fd(), level, name, &value, sizeof value); };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    // Notice a vanished peer after about a minute, also on a watch that waits for events.
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
  }
  return socket;
}

Result<Socket> DialUnix(const std::string& path, const Patience& patience) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Invalid("the path of a unix socket has at most ", sizeof address.sun_path - 1, " bytes");
  std::memcpy(address.sun_path, path.data(), path.size());
  return Connect(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address, patience);
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Returns 0 or a code for gai_strerror.
int GetAddresses(const std::string& host, int port, int flags, Addresses& found) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error == 0) found.reset(list);
  return error;
}

// getaddrinfo has no timeout and a name server may be slow. The lookup runs in its own thread, which may outlive an impatient caller.
Result<Addresses> LookUp(const std::string& host, int port, const Patience& patience) {
  Addresses found(nullptr, freeaddrinfo);
  if (GetAddresses(host, port, AI_NUMERICHOST, found) == 0) return found;
  struct Answer {
    Cancel done;
    int error = 0;
    Addresses found{nullptr, freeaddrinfo};
  };
  const auto answer = std::make_shared<Answer>();
  std::thread([answer, host, port] {
    answer->error = GetAddresses(host, port, AI_ADDRCONFIG, answer->found);
    answer->done.Request();
  }).detach();
  TRY(AwaitFd(answer->done.fd(), POLLIN, patience));
  if (answer->error != 0) return Unavailable(gai_strerror(answer->error));
  return std::move(answer->found);
}

}  // namespace

std::string Address::ToString() const {
  if (!unix_path.empty()) return StrCat("unix:", unix_path);
  return host.find(':') == std::string::npos ? StrCat(host, ":", port) : StrCat("[", host, "]:", port);
}

Result<Socket> Dial(const Address& address, const Patience& patience) {
  if (!address.unix_path.empty()) return DialUnix(address.unix_path, patience).Context("connect to ", address.ToString());
  ASSIGN_OR_RETURN(const Addresses found, LookUp(address.host, address.port, patience).Context("look up ", address.host));
  Status last;
  int left = 0;
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) ++left;
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    // Divide the remaining time, so an address that never answers leaves time for the others.
    Patience share = patience;
    const MonotonicTime now = std::chrono::steady_clock::now();
    if (patience.deadline && *patience.deadline > now) share.deadline = now + (*patience.deadline - now) / left--;
    Result<Socket> socket = Connect(one->ai_family, one->ai_addr, one->ai_addrlen, share);
    if (socket.ok()) return socket;
    last = std::move(socket).status();
  }
  CHECK(!last.ok());
  return std::move(last).Context("connect to ", address.ToString());
}

Status Check(const Patience& patience) {
  if (patience.cancel != nullptr && patience.cancel->requested()) return Unavailable("cancelled");
  if (patience.deadline && std::chrono::steady_clock::now() >= *patience.deadline) return Unavailable("no answer in time");
  return Status();
}

Status Await(const Transport& transport, Transport::Wait wait, const Patience& patience) {
  return AwaitFd(transport.fd(), wait == Transport::Wait::kRead ? POLLIN : POLLOUT, patience);
}

Status WriteAll(Transport& transport, std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    TRY(Check(patience));  // check even while bytes keep moving and Await is never called
    ASSIGN_OR_RETURN(const Transport::Progress progress, transport.Write(bytes));
    bytes.remove_prefix(progress.bytes);
    if (progress.wait != Transport::Wait::kNone) TRY(Await(transport, progress.wait, patience));
  }
  return Status();
}

Result<size_t> ReadSome(Transport& transport, std::span<char> into, const Patience& patience) {
  for (;;) {
    TRY(Check(patience));
    ASSIGN_OR_RETURN(const Transport::Progress progress, transport.Read(into));
    if (progress.bytes > 0) return progress.bytes;
    if (progress.end) return size_t{0};
    TRY(Await(transport, progress.wait, patience));
  }
}

}  // namespace allot::http
