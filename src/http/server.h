#pragma once
// An HTTP/1.1 server: one thread moves the bytes of all connections, a few workers run the handlers.
//
// A response may outlive its handler: what is written to it, from any thread, is queued, and no thread waits for a client. So a watch that
// waits for events costs memory, but no thread.
//
// Promises:
//   1. the requests of one connection are handled one after the other, the next one when the response to the former is complete;
//   2. a client that is slow, silent or gone costs at most its limits (ServerOptions), for at most its timeouts;
//   3. callbacks are called without a lock of the server.

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
  std::string peer_name;                       // the common name of the client's certificate; empty: it proved nothing
  std::optional<PeerCredentials> credentials;  // of a unix socket
};

enum class WriteState {
  kAccepted,  // queued, or sent
  kFull,      // not queued: the client is too slow. The connection is closed after what is queued
  kGone,      // not queued: nobody reads this any more
};

// The response to one request: Send, or Start, Write and End.
//
// Thread-safe, and it may outlive the handler and the server. Dropped by all its holders before it is complete, it answers 500, or cuts
// the connection where a stream has begun.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;

  // The whole response; its length is not limited by max_queued. Headers that would break the framing become a 500. Content-Length,
  // Transfer-Encoding and Date are the server's; "Connection: close" is heard. REQUIRES that nothing was sent or started.
  virtual WriteState Send(Response response) = 0;

  // A response whose body comes in pieces. REQUIRES that nothing was sent or started.
  virtual WriteState Start(int status, Headers headers) = 0;
  // Empty does nothing. After End(): kGone. REQUIRES Start().
  virtual WriteState Write(std::string_view bytes) = 0;
  // All of them, or none. They are not copied before they are sent, so that many responses can hold the same bytes.
  virtual WriteState Write(std::span<const std::shared_ptr<const std::string>> pieces) = 0;
  // The body is complete. Again: does nothing. REQUIRES Start().
  virtual void End() = 0;

  // What the kernel has not taken yet.
  virtual size_t queued_bytes() const = 0;

  // `callback` is called once when the client goes away, or is cut, before the response is complete; if it is already gone, soon. Called
  // on the server's thread, so it must be short; after the server's end, by OnGone itself. At most one callback, dropped with End().
  // A client that closed only its sending side counts as gone, but is still given a Send.
  virtual void OnGone(std::function<void()> callback) = 0;
  // `callback` is called once when the server drains, on the same terms. A stream that has no end of its own should End() then: what is
  // not complete at the deadline is cut.
  virtual void OnDrain(std::function<void()> callback) = 0;
};

// Runs on a worker. The context lives until it returns, the writer as long as somebody holds it.
using Handler = std::function<void(const RequestContext&, std::shared_ptr<ResponseWriter>)>;

struct ServerOptions {
  int workers = 4;
  size_t max_waiting = 1024;  // requests that wait for a worker; beyond: 503
  size_t max_connections = 16'384;
  size_t max_of_user = 1024;    // connections by a unix socket of any one user, but for root and who runs the server
  size_t max_head = 64 << 10;   // bytes of a request's first line and headers; beyond: 431
  uint64_t max_body = 8 << 20;  // bytes of a request's body; beyond: 413
  size_t max_queued = 4 << 20;  // bytes of a stream that the kernel has not taken; a single piece may be longer

  std::chrono::milliseconds header_timeout{10'000};  // from the first byte (or the connection's begin) to the end of the headers: 408
  std::chrono::milliseconds body_timeout{60'000};    // for the body: 408
  std::chrono::milliseconds idle_timeout{120'000};   // between requests
  std::chrono::milliseconds write_timeout{30'000};   // without a byte taken by the client, while there are some

  std::shared_ptr<const TlsServer> tls;  // nothing: plain HTTP
};

struct ServerStats {
  uint64_t open = 0;     // connections
  uint64_t total = 0;    // connections accepted, those refused left out
  uint64_t refused = 0;  // closed at once: there were max_connections, or max_of_user
  uint64_t served = 0;   // requests with a complete response, the server's own errors included
};

// Thread-safe. Not to be drained or destroyed by a handler or callback.
class Server {
 public:
  // Listens from now on. kUnavailable when the kernel has no descriptor for it.
  static Result<std::unique_ptr<Server>> Start(Listener listener, ServerOptions options, Handler handler);

  // Use Start.
  Server(std::unique_ptr<class ServerLoop> loop, int port);
  // Cuts all connections, waits for running handlers; requests that wait for a worker are dropped.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Stops listening, closes idle connections, lets requests and responses end (OnDrain tells those that would not), cuts what is left at
  // the deadline. Returns when all connections are closed and all handlers have returned. Again: brings the deadline forward.
  void Drain(MonotonicTime deadline);

  // For new connections; nothing: plain HTTP.
  void SetTls(std::shared_ptr<const TlsServer> tls);

  ServerStats stats() const;
  int port() const { return port_; }

 private:
  const int port_;
  const std::unique_ptr<class ServerLoop> loop_;
};

}  // namespace allot::http
