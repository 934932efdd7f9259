#pragma once
// A gRPC server on unix sockets, and on TCP without TLS, as small as kubelet's interfaces allow: unary calls and streams from the server,
// no compression.
//
// One thread moves the bytes of all connections; handlers run on workers, which are made when calls wait and end when there are none: a
// server without calls has one thread. A peer may hold its connection without a word for as long as it likes, as kubelet does.
//
// Promises:
//   1. a handler that waits holds up nobody but its own caller, as long as there are fewer of them than workers;
//   2. a call whose caller gave up or is gone has its cancel requested;
//   3. a peer that is hostile, slow or gone costs at most its limits (EndpointOptions);
//   4. after a burst the memory goes back to the system, in a program that has one arena (mallopt(M_ARENA_MAX, 1)): of a worker's own
//      arena glibc's malloc_trim keeps the top, which was 24 MiB after a message of 20,000 claims.

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/status.h"
#include "http/listener.h"
#include "node/rpc/service.h"
#include "node/rpc/session.h"
#include "node/rpc/workers.h"

namespace allot::node::rpc {

struct ServerOptions {
  WorkerOptions workers;
};

struct EndpointOptions {
  SessionLimits limits;  // of each connection
  // Beyond, the connection that was without a call for the longest makes room; where all have one, the new one is closed.
  size_t max_connections = 16;
};

struct ServerStats {
  size_t connections = 0;
  size_t threads = 0;  // workers
  size_t idle = 0;     // of them, those that wait for a call
  uint64_t calls = 0;  // begun
};

// Thread-safe. Not to be drained or destroyed by a handler.
class Server {
 public:
  // kUnavailable when the kernel has no descriptor for it.
  static Result<std::unique_ptr<Server>> Start(ServerOptions options);

  // Use Start.
  explicit Server(std::unique_ptr<class Loop> loop);
  // Cuts all connections, waits for running handlers.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Serves what comes to this socket. After Drain: closes it.
  void Serve(http::Listener listener, std::shared_ptr<const Services> services, EndpointOptions options = {});

  // Stops listening (which removes the sockets' files), tells peers to go elsewhere, ends streams with UNAVAILABLE, lets calls end, cuts
  // what is left at the deadline. Returns when all connections are closed and all handlers have returned. Again: brings the deadline
  // forward.
  void Drain(MonotonicTime deadline);

  ServerStats stats() const;

 private:
  const std::unique_ptr<class Loop> loop_;
};

}  // namespace allot::node::rpc
