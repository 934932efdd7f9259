#pragma once
// A socket that waits for connections: TCP, or a unix socket with a file.
//
// Not thread-safe. Destroying it closes the socket and removes its file, unless another socket has taken the file's place.

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/status.h"
#include "http/transport.h"

namespace allot::http {

// Who is at the other end of a unix socket, as the kernel saw it when the peer connected.
struct PeerCredentials {
  uid_t uid = 0;
  gid_t gid = 0;
  pid_t pid = 0;
};

struct Accepted {
  Socket socket;                               // does not block
  std::string peer;                            // "127.0.0.1:52100", "[::1]:52100", "unix"
  std::optional<PeerCredentials> credentials;  // of a unix socket
};

class Listener {
 public:
  // `address` is an IP address ("127.0.0.1", "::1"; "0.0.0.0" and "::" are all of them); port 0 takes any free one. kInvalid for what is
  // no address, kUnavailable with what the kernel said.
  static Result<Listener> Tcp(const std::string& address, int port);

  // The file gets exactly `mode`, and never had more. A socket file that nobody listens on is replaced; kUnavailable where somebody
  // does; kInvalid for another kind of file and for a path that is too long (107 bytes).
  static Result<Listener> Unix(const std::string& path, mode_t mode);

  ~Listener();
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;

  // A connection; nothing: no more wait. kExhausted: the process or the machine is out of something (files, memory); the connection
  // still waits, and trying at once would spin.
  Result<std::optional<Accepted>> Accept();

  // Renames the file of a unix socket, over what is there; who connects to the new path reaches this socket. kUnavailable with what the
  // kernel said. REQUIRES a unix socket.
  Status MoveTo(const std::string& path);

  int fd() const { return socket_.fd(); }
  int port() const { return port_; }  // of TCP, else 0

 private:
  explicit Listener(Socket socket) : socket_(std::move(socket)) {}

  Socket socket_;
  int port_ = 0;
  std::string path_;  // of a unix socket
  dev_t device_ = 0;  // and the file that is ours
  ino_t inode_ = 0;
};

}  // namespace allot::http
