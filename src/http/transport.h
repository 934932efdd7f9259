#pragma once
// Moves bytes to and from one peer over a socket, plain or TLS, without blocking.
//
// Not thread-safe. Destroying it closes the socket.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::http {

class Transport {
 public:
  enum class Wait { kNone, kRead, kWrite };
  struct Progress {
    size_t bytes = 0;
    Wait wait = Wait::kNone;  // if nothing moved, try again when the socket is ready for this
    bool end = false;         // Read: the peer sends no more
  };

  virtual ~Transport() = default;

  // An error (kUnavailable, with the reason) ends the connection. The TLS handshake happens in the first calls.
  virtual Result<Progress> Read(std::span<char> into) = 0;
  virtual Result<Progress> Write(std::string_view bytes) = 0;
  // Whether Read has bytes that poll(2) on fd() does not report.
  virtual bool HasPending() const { return false; }
  // Tells the peer that the connection ends, if the protocol can. At most once, best effort.
  virtual void Goodbye() {}
  virtual int fd() const = 0;
  // The identity that the peer proved: the common name of its certificate; empty without one.
  virtual std::string PeerName() const { return ""; }
};

// Owns a file descriptor.
class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept : fd_(other.Release()) {}
  Socket& operator=(Socket&& other) noexcept;
  int fd() const { return fd_; }
  int Release();

 private:
  int fd_;
};

std::unique_ptr<Transport> PlainTransport(Socket socket);

// Makes a transport that several threads may use, one call at a time.
std::shared_ptr<Transport> SharedTransport(std::unique_ptr<Transport> transport);

}  // namespace allot::http
