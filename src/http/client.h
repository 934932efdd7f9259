#pragma once
// An HTTP/1.1 client for one server: blocking calls with deadlines, and connections that are kept for reuse.
//
// Thread-safe: concurrent calls use separate connections.

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
  std::string host;  // value of the Host header
  // Returns the TLS settings for a new connection. Empty: plain HTTP. Called for each connection, so certificates can change.
  std::function<Result<std::shared_ptr<const TlsClient>>()> tls;
  Address proxy;  // empty host: no proxy. TLS uses CONNECT
  std::string proxy_authorization;

  size_t max_head = 64 << 10;                         // bytes of a response's headers
  size_t max_body = 256 << 20;                        // bytes of a response body read by Send; a stream is not limited
  size_t max_idle = 8;                                // connections kept for later calls
  std::chrono::seconds idle_time{60};                 // how long an idle connection is kept
  std::chrono::milliseconds connect_timeout{10'000};  // for connecting, within the deadline of the call
};

// A response body that is read as it arrives. Not thread-safe. Destroying it before the end closes the connection.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  virtual const Head& head() const = 0;
  // Returns at least one byte, or empty at the end of the body. Returns kUnavailable if the connection broke or the patience ended; in the
  // latter case Read may be called again.
  virtual Result<std::string> Read(const Patience& patience) = 0;
};

class Client {
 public:
  explicit Client(ClientOptions options) : options_(std::move(options)) {}

  // Sends a request and reads the whole response, whatever its status. Returns kUnavailable, with the address, if there is no response;
  // kInvalid if the request cannot be written or the response is not HTTP; kExhausted if the response exceeds a limit.
  // GET and HEAD are sent once more on a new connection if a kept connection turns out to be closed.
  Result<Response> Send(const Request& request, const Patience& patience);

  // Returns after the response's head; the caller reads the body piece by piece.
  Result<std::unique_ptr<BodyStream>> Open(const Request& request, const Patience& patience);

  // Makes all further calls use new connections (with new certificates).
  void DropIdle();

 private:
  struct Connection {
    std::unique_ptr<Transport> transport;
    std::string buffered;  // read, not yet parsed
    MonotonicTime idle_since;
    bool used = false;        // by an earlier call
    uint64_t generation = 0;  // value of generation_ when the connection was made
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
  std::vector<std::unique_ptr<Connection>> idle_;  // most recently used at the back
  uint64_t generation_ = 0;                        // raised by DropIdle: connections of an older generation are not kept
};

}  // namespace allot::http
