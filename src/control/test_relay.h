#pragma once
// A TCP relay between a client and a server, which loses answers and holds back what a watch would say. Included by *_test.cc only.
//
// A request is known by how its bytes begin, which is enough for our own client: one request at a time on a connection, its head in one
// piece. All methods are thread-safe.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/check.h"
#include "base/status.h"

namespace allot::control {

class Relay {
 public:
  using Which = std::function<bool(std::string_view request)>;

  // `server`: "http://127.0.0.1:PORT".
  explicit Relay(const std::string& server) : server_port_(static_cast<uint16_t>(std::stoi(server.substr(server.rfind(':') + 1)))) {
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof address;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    CHECK(listen(listener_, 64) == 0);
    CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~Relay() {
    stop_ = true;
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& one : connections_) one.join();
    close(listener_);
  }

  std::string url() const { return StrCat("http://127.0.0.1:", port_); }

  // Requests whose answer is lost: the server carries the request out, and the client sees the connection end.
  void LoseAnswers(Which which) {
    const std::lock_guard lock(mutex_);
    lose_ = std::move(which);
  }
  int lost() const { return lost_; }
  // Requests that are answered with 410 Gone: the watcher has to list again.
  void Expire(Which which) {
    const std::lock_guard lock(mutex_);
    expire_ = std::move(which);
  }
  // Holds back all answers on connections whose last request is one of these. Empty: holds nothing back, and ends the connections that were
  // held, so that the client asks anew.
  void HoldBack(Which which) {
    const std::lock_guard lock(mutex_);
    hold_ = std::move(which);
  }

 private:
  static sockaddr_in Loopback(uint16_t port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }

  void Accept() {
    for (;;) {
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      connections_.emplace_back([this, client] { Serve(client); });
    }
  }

  bool Is(const Which& which, std::string_view request) {
    const std::lock_guard lock(mutex_);
    return which && which(request);
  }

  static bool SendAll(int to, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

  void Serve(int client) {
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = Loopback(server_port_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) Pump(client, server);
    close(server);
    close(client);
  }

  void Pump(int client, int server) {
    std::string request, buffer(1 << 16, '\0');
    bool held = false;  // something was
    while (!stop_) {
      const bool hold = Is(hold_, request);
      if (held && !hold) return;
      pollfd ready[2] = {{client, POLLIN, 0}, {hold ? -1 : server, POLLIN, 0}};
      held = held || hold;
      if (poll(ready, 2, 5) <= 0) continue;
      if (ready[0].revents != 0) {
        const ssize_t n = recv(client, buffer.data(), buffer.size(), 0);
        if (n <= 0) return;
        const std::string_view bytes(buffer.data(), static_cast<size_t>(n));
        for (const std::string_view method : {"GET ", "PUT ", "POST ", "PATCH ", "DELETE "}) {
          if (bytes.starts_with(method)) request = bytes.substr(0, bytes.find("\r\n"));
        }
        if (Is(expire_, request)) {
          SendAll(client, "HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
          return;
        }
        if (!SendAll(server, bytes)) return;
      }
      if (ready[1].revents != 0) {
        ssize_t n = 0;
        {
          // Nothing that the server sends after HoldBack has returned is read, even if this thread runs late.
          const std::lock_guard lock(mutex_);
          if (hold_ && hold_(request)) continue;
          n = recv(server, buffer.data(), buffer.size(), 0);
        }
        if (n <= 0) return;
        if (Is(lose_, request)) {
          ++lost_;
          return;
        }
        if (!SendAll(client, std::string_view(buffer.data(), static_cast<size_t>(n)))) return;
      }
    }
  }

  const uint16_t server_port_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> lost_{0};
  std::mutex mutex_;
  Which lose_, hold_, expire_;
  std::list<std::thread> connections_;  // of the acceptor, until it has ended
  std::thread acceptor_;
};

}  // namespace allot::control
