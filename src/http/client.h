#pragma once
// An HTTP/1.1 client for one server: blocking calls with deadlines, connections kept and used again.
//
// Thread-safe: calls from several threads run at the same time, each on a connection of its own.

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "http/codec.h"
#include "http/dial.h"
#include "http/message.h"
#include "http/tls.h"

namespace allot::http {

struct ClientOptions {
  Address address;
  std::string host;  // of the Host header
  // The TLS to use for a new connection; nothing: plain HTTP. Asked for each time, so that certificates can change.
  std::function<Result<std::shared_ptr<const TlsClient>>()> tls;
  Address proxy;  // host empty: none. TLS goes through it by CONNECT
  std::string proxy_authorization;

  size_t max_head = 64 << 10;                         // bytes of an answer's headers
  size_t max_body = 256 << 20;                        // bytes of an answer that is taken whole (Send); a stream has no end to limit
  size_t max_idle = 8;                                // connections kept for later calls
  std::chrono::seconds idle_time{60};                 // and for how long
  std::chrono::milliseconds connect_timeout{10'000};  // for connecting, within the deadline of the call
};

// The body of a response as it arrives. Not thread-safe. Destroying it before the end closes the connection.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  virtual const Head& head() const = 0;
  // The next bytes, at least one; empty: the body is complete. kUnavailable for a connection that broke, or out of patience: then Read
  // may be called again.
  virtual Result<std::string> Read(const Patience& patience) = 0;
};

class Client {
 public:
  explicit Client(ClientOptions options) : options_(std::move(options)) {}

  // The whole response; any status is an answer. kUnavailable when there is none, with the address; kInvalid for a request that cannot
  // be written and for what is no HTTP; kExhausted for an answer beyond the limits.
  // Where a connection from an earlier call turns out to be closed, GET and HEAD are sent once more on a new one.
  Result<Response> Send(const Request& request, const Patience& patience);

  // The response's head, and its body to be read piece by piece.
  Result<std::unique_ptr<BodyStream>> Open(const Request& request, const Patience& patience);

  // The next call, and all after it, are on connections made from now on (with new certificates).
  void DropIdle();

 private:
  struct Connection {
    std::unique_ptr<Transport> transport;
    std::string buffered;  // read, not yet parsed
    MonotonicTime idle_since;
    bool used = false;        // by an earlier call
    uint64_t generation = 0;  // of idle connections
  };
  class Stream;

  Result<std::unique_ptr<Connection>> Connect(const Patience& patience);
  Result<std::unique_ptr<Connection>> TakeOrConnect(const Patience& patience);
  std::unique_ptr<Connection> TakeIdle();
  void GiveBack(std::unique_ptr<Connection> connection);
  Result<std::unique_ptr<Stream>> Try(const Request& request, std::unique_ptr<Connection> connection, const Patience& patience);
  Status Tunnel(const Socket& socket, const Patience& patience) const;

  const ClientOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;  // the one used last is at the back
  uint64_t generation_ = 0;                        // raised by DropIdle: older connections do not come back
};

}  // namespace allot::http
