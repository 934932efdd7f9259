#pragma once
// For tests: a server on a loopback port that follows a script byte by byte.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/check.h"
#include "http/client.h"

namespace allot::http {

// The server's side of one connection.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {}
  ~Peer() { close(fd_); }

  // Reads until `end` arrives or the client closes. Returns everything that was read.
  std::string ReadUntil(std::string_view end) {
    std::string text;
    char c = 0;
    while (text.find(end) == std::string::npos && recv(fd_, &c, 1, 0) == 1) text += c;
    return text;
  }
  void Send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      text.remove_prefix(static_cast<size_t>(n));
    }
  }
  // Reads a request and sends the response. Returns the request.
  std::string Answer(std::string_view response) {
    std::string request = ReadUntil("\r\n\r\n");
    Send(response);
    return request;
  }

 private:
  const int fd_;
};

// Runs one function of the script for each connection.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<std::function<void(Peer&)>> script) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    CHECK(bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    CHECK(listen(fd_, 16) == 0);
    CHECK(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, script = std::move(script)] {
      for (const auto& act : script) {
        const int connection = accept(fd_, nullptr, nullptr);
        if (connection < 0) return;
        ++connections_;
        Peer peer(connection);
        act(peer);
      }
    });
  }
  ~ScriptedServer() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }

  int port() const { return port_; }
  ClientOptions Options() const {
    ClientOptions options;
    options.address = {.host = "127.0.0.1", .port = port_, .unix_path = ""};
    return options;
  }
  int connections() const { return connections_; }

 private:
  int fd_ = -1;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

}  // namespace allot::http
