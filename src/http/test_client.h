#pragma once
// A client for tests of the server that sends and reads exact bytes. Included by *_test.cc only.
//
// Every wait has a deadline; the return value says if it passed. Not thread-safe.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/check.h"
#include "http/codec.h"
#include "http/server.h"
#include "http/tls.h"
#include "http/transport.h"

namespace allot::http::test {

inline constexpr std::chrono::seconds kPatience(30);

// Counts events that any thread raises.
class Signal {
 public:
  void Raise() {
    const std::lock_guard lock(mutex_);
    ++count_;
    raised_.notify_all();
  }
  bool Await(int times = 1) {
    std::unique_lock lock(mutex_);
    return raised_.wait_for(lock, kPatience, [&] { return count_ >= times; });
  }
  int count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable raised_;
  int count_ = 0;
};

// Polls a condition that has no signal, each millisecond.
inline bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class RawClient {
 public:
  struct Answer {
    Head head;
    std::string body;
  };

  // `receive_buffer` is the size of the kernel's receive buffer; 0: the default.
  explicit RawClient(int port, int receive_buffer = 0) : transport_(PlainTransport(Tcp(port, receive_buffer))) {}
  RawClient(int port, const TlsClient& tls) : transport_(tls.Wrap(Tcp(port, 0))) {}
  explicit RawClient(const std::string& unix_path) : transport_(PlainTransport(Unix(unix_path))) {}

  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto progress = transport_->Write(bytes);
      if (!progress.ok()) return false;
      bytes.remove_prefix(progress->bytes);
      if (progress->bytes == 0 && !Wait(progress->wait)) return false;
    }
    return true;
  }

  // Reads one response; nullopt if the connection ended first.
  std::optional<Answer> Read(bool to_head = false) {
    Parser parser(Parser::Kind::kResponse);
    if (to_head) parser.NoBody();
    Answer answer;
    for (;;) {
      const auto used = parser.Feed(buffered_, answer.body);
      if (!used.ok()) return std::nullopt;
      buffered_.erase(0, *used);
      if (!parser.done() && !Fill()) {
        if (!parser.started() || !parser.FeedEnd().ok()) return std::nullopt;
      }
      if (!parser.done()) continue;
      answer.head = parser.head();
      return answer;
    }
  }
  std::optional<Answer> Ask(std::string_view bytes) { return Send(bytes) ? Read() : std::nullopt; }

  // Reads raw bytes up to and including `mark`; if the connection ended first, what arrived.
  std::string ReadUntil(std::string_view mark) {
    size_t end = 0;
    while ((end = buffered_.find(mark)) == std::string::npos) {
      if (!Fill()) return std::exchange(buffered_, {});
    }
    std::string text = buffered_.substr(0, end + mark.size());
    buffered_.erase(0, text.size());
    return text;
  }
  // Reads all bytes until the connection ends.
  std::string ReadAll() {
    while (Fill()) continue;
    return std::exchange(buffered_, {});
  }
  // Whether the server closed the connection with nothing left to read.
  bool AtEnd() { return buffered_.empty() && !Fill() && !timed_out_; }

  // Whether the server ended the TLS connection properly instead of cutting it.
  bool EndedWithGoodbye() { return AtEnd() && !broke_; }

  void CloseWrite() { shutdown(transport_->fd(), SHUT_WR); }
  void Kill() {
    const linger now = {.l_onoff = 1, .l_linger = 0};  // the peer gets a reset
    setsockopt(transport_->fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    transport_.reset();
  }

 private:
  static Socket Tcp(int port, int receive_buffer) {
    Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK(socket.fd() >= 0);
    if (receive_buffer > 0) setsockopt(socket.fd(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return NonBlocking(std::move(socket));
  }
  static Socket Unix(const std::string& path) {
    Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    CHECK(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    CHECK(connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return NonBlocking(std::move(socket));
  }
  static Socket NonBlocking(Socket socket) {
    CHECK(fcntl(socket.fd(), F_SETFL, O_NONBLOCK) == 0);
    return socket;
  }

  bool Wait(Transport::Wait wait) {
    pollfd polled = {transport_->fd(), static_cast<short>(wait == Transport::Wait::kWrite ? POLLOUT : POLLIN), 0};
    timed_out_ = poll(&polled, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) == 0;
    return !timed_out_;
  }
  // Returns false if the connection ended or nothing arrived in time.
  bool Fill() {
    char bytes[65536];
    for (;;) {
      const auto progress = transport_->Read(bytes);
      broke_ = !progress.ok();
      if (broke_ || progress->end) return false;
      buffered_.append(bytes, progress->bytes);
      if (progress->bytes > 0) return true;
      if (!Wait(progress->wait)) return false;
    }
  }

  std::unique_ptr<Transport> transport_;
  std::string buffered_;
  bool timed_out_ = false, broke_ = false;
};

inline std::unique_ptr<Server> StartServer(Handler handler, ServerOptions options = {}) {
  auto listener = Listener::Tcp("127.0.0.1", 0);
  CHECK(listener.ok());
  auto server = Server::Start(*std::move(listener), std::move(options), std::move(handler));
  CHECK(server.ok());
  return *std::move(server);
}

inline std::string Get(std::string_view target, std::string_view headers = "") {
  return StrCat("GET ", target, " HTTP/1.1\r\nHost: test\r\n", headers, "\r\n");
}

}  // namespace allot::http::test
