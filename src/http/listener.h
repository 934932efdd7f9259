#pragma once
// A listening socket: TCP, or a unix socket with a file.
//
// Not thread-safe. Destroying it closes the socket and removes its file, unless another socket has replaced the file.

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/status.h"
#include "http/transport.h"

namespace allot::http {

// The peer of a unix socket, recorded by the kernel when it connected.
struct PeerCredentials {
  uid_t uid = 0;
  gid_t gid = 0;
  pid_t pid = 0;
};

struct Accepted {
  Socket socket;                               // non-blocking
  std::string peer;                            // "127.0.0.1:52100", "[::1]:52100", "unix"
  std::optional<PeerCredentials> credentials;  // set for a unix socket
};

class Listener {
 public:
  // `address` is an IP address ("127.0.0.1", "::1"; "0.0.0.0" and "::" mean all interfaces). Port 0 picks a free port. Returns kInvalid if
  // `address` is not an IP address, else kUnavailable with the kernel's error.
  static Result<Listener> Tcp(const std::string& address, int port);

  // Creates the file with exactly `mode`; it never has a wider mode. Replaces a socket file without a listener. Returns kUnavailable if the
  // socket has a listener; kInvalid for another kind of file and for a path longer than 107 bytes.
  static Result<Listener> Unix(const std::string& path, mode_t mode);

  ~Listener();
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;

  // Returns a connection, or nullopt if none is pending. Returns kExhausted if the process or the machine lacks descriptors or memory. The
  // connection stays pending then, so retrying at once would spin.
  Result<std::optional<Accepted>> Accept();

  // Renames the file of a unix socket and replaces any file at `path`. Clients of the new path reach this socket. Returns kUnavailable with
  // the kernel's error. REQUIRES: a unix socket.
  Status MoveTo(const std::string& path);

  int fd() const { return socket_.fd(); }
  int port() const { return port_; }  // of TCP; 0 for a unix socket

 private:
  explicit Listener(Socket socket) : socket_(std::move(socket)) {}

  Socket socket_;
  int port_ = 0;
  std::string path_;  // set for a unix socket
  dev_t device_ = 0;  // identify the file that this socket created
  ino_t inode_ = 0;
};

}  // namespace allot::http
