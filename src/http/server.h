#pragma once
// An HTTP/1.1 server: one thread moves the bytes of all connections, a few workers run the handlers.
//
// A response may outlive its handler. Any thread may write to it; bytes are queued, and no thread waits for a client. An idle watch
// therefore costs memory but no thread.
//
// Promises:
//   1. the requests of one connection are handled one at a time: the next one starts when the previous response is complete;
//   2. a client that is slow, silent or gone costs at most its limits (ServerOptions), for at most its timeouts;
//   3. the server holds no lock while it calls a callback.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "http/listener.h"
#include "http/message.h"
#include "http/tls.h"

namespace allot::http {

struct RequestContext {
  Request request;                             // with the whole body
  std::string peer;                            // "127.0.0.1:52100", "unix"
  std::string peer_name;                       // the common name of the client's certificate; empty if the client proved no identity
  std::optional<PeerCredentials> credentials;  // set for a unix socket
};

enum class WriteState {
  kAccepted,  // queued or sent
  kFull,      // not queued: the client is too slow. The connection closes after the queued bytes
  kGone,      // not queued: the client is gone
};

// The response to one request: Send, or Start, Write and End.
//
// Thread-safe; may outlive the handler and the server. If the last holder releases it before the response is complete, it answers 500, or
// cuts the connection if a stream has begun.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;

  // Sends the whole response; max_queued does not limit it. Headers that would break the framing become a 500. The server sets
  // Content-Length, Transfer-Encoding and Date, and honours "Connection: close". REQUIRES: neither Send nor Start was called.
  virtual WriteState Send(Response response) = 0;

  // Starts a response whose body follows in pieces. REQUIRES: neither Send nor Start was called.
  virtual WriteState Start(int status, Headers headers) = 0;
  // Does nothing for empty bytes. Returns kGone after End(). REQUIRES: Start() was called.
  virtual WriteState Write(std::string_view bytes) = 0;
  // Queues all pieces or none. The pieces are not copied before they are sent, so many responses can share them.
  virtual WriteState Write(std::span<const std::shared_ptr<const std::string>> pieces) = 0;
  // Completes the body. Further calls do nothing. REQUIRES: Start() was called.
  virtual void End() = 0;

  // Bytes that the kernel has not accepted yet.
  virtual size_t queued_bytes() const = 0;

  // Sets a callback that runs once if the client goes away, or is cut off, before the response is complete; soon, if it is already gone. It
  // runs on the server's thread, so it must be short; after the server has ended, OnGone calls it directly. One callback at most; End()
  // drops it. A client that closed only its sending side counts as gone but can still receive a Send.
  virtual void OnGone(std::function<void()> callback) = 0;
  // Sets a callback that runs once when the server drains, under the same rules. A stream without an end of its own should then call End():
  // the server cuts incomplete responses at the deadline.
  virtual void OnDrain(std::function<void()> callback) = 0;
};

// Runs on a worker. The context lives until the handler returns, the writer as long as something holds it.
using Handler = std::function<void(const RequestContext&, std::shared_ptr<ResponseWriter>)>;

struct ServerOptions {
  int workers = 4;
  size_t max_waiting = 1024;  // requests waiting for a worker; beyond: 503
  size_t max_connections = 16'384;
  size_t max_of_user = 1024;    // connections over a unix socket per user; root and the server's own user are not limited
  size_t max_head = 64 << 10;   // bytes of a request's first line and headers; beyond: 431
  uint64_t max_body = 8 << 20;  // bytes of a request's body; beyond: 413
  size_t max_queued = 4 << 20;  // bytes of a stream that the kernel has not accepted; a single piece may be longer

  std::chrono::milliseconds header_timeout{10'000};  // from the first byte (or the start of the connection) to the end of the headers: 408
  std::chrono::milliseconds body_timeout{60'000};    // for the body: 408
  std::chrono::milliseconds idle_timeout{120'000};   // between requests
  std::chrono::milliseconds write_timeout{30'000};   // while output is pending and the client takes none of it

  std::shared_ptr<const TlsServer> tls;  // nullptr: plain HTTP
};

struct ServerStats {
  uint64_t open = 0;     // connections
  uint64_t total = 0;    // accepted connections, without refused ones
  uint64_t refused = 0;  // connections closed at once because of max_connections or max_of_user
  uint64_t served = 0;   // requests with a complete response, including the server's own errors
};

// Thread-safe. A handler or callback must not drain or destroy the server.
class Server {
 public:
  // Starts listening. Returns kUnavailable if the kernel has no descriptor left.
  static Result<std::unique_ptr<Server>> Start(Listener listener, ServerOptions options, Handler handler);

  // Call Start instead.
  Server(std::unique_ptr<class ServerLoop> loop, int port);
  // Cuts all connections, drops requests that wait for a worker, and waits for running handlers.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Stops listening, closes idle connections, and lets running requests and responses finish; OnDrain tells endless streams to end. Cuts
  // what remains at the deadline. Returns when all connections are closed and all handlers have returned. A second call may bring the
  // deadline forward.
  void Drain(MonotonicTime deadline);

  // Applies to new connections. nullptr: plain HTTP.
  void SetTls(std::shared_ptr<const TlsServer> tls);

  ServerStats stats() const;
  int port() const { return port_; }

 private:
  const int port_;
  const std::unique_ptr<class ServerLoop> loop_;
};

}  // namespace allot::http
