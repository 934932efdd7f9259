#pragma once
// A gRPC server on unix sockets, and on TCP without TLS. It has what kubelet's interfaces need: unary calls and streams from the server,
// without compression.
//
// One thread moves the bytes of all connections. Handlers run on workers, which start when calls wait and end when there are none, so that
// a server without calls has one thread. A peer may keep an idle connection open for any time, as kubelet does.
//
// Promises:
//   1. a handler that waits delays only its own caller, as long as fewer handlers wait than there are workers;
//   2. if the caller gives up or is gone, the call's cancel is requested;
//   3. a peer that is hostile, slow or gone costs at most its limits (EndpointOptions);
//   4. after a burst the memory goes back to the system in a program with one arena (mallopt(M_ARENA_MAX, 1)). With an arena for each
//      worker, glibc's malloc_trim would keep the top of each: 24 MiB after a message of 20,000 claims.

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
  // For one more, the connection that has been idle for the longest time is closed; if none is idle, the new one is closed.
  size_t max_connections = 16;
};

struct ServerStats {
  size_t sockets = 0;  // that are listened on, or have connections
  size_t connections = 0;
  size_t threads = 0;  // workers
  size_t idle = 0;     // workers that wait for a call
  uint64_t calls = 0;  // since the start
};

// Thread-safe. A handler must not call Drain or destroy the server.
class Server {
 public:
  // kUnavailable: the process is out of descriptors.
  static Result<std::unique_ptr<Server>> Start(ServerOptions options);

  // For Start only.
  explicit Server(std::unique_ptr<class Loop> loop);
  // Closes all connections and waits for running handlers.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Serves connections to this socket. Closes the socket that had the same `services` before, whose connections go on. After Drain: closes
  // this one.
  void Serve(http::Listener listener, std::shared_ptr<const Services> services, EndpointOptions options = {});

  // Stops listening (which removes the sockets' files), sends GOAWAY to peers, ends streams with UNAVAILABLE, lets calls end, and at the
  // deadline closes the remaining connections. Returns when all connections are closed and all handlers have returned. Another call can
  // bring the deadline forward.
  void Drain(MonotonicTime deadline);

  ServerStats stats() const;

 private:
  const std::unique_ptr<class Loop> loop_;
};

}  // namespace allot::node::rpc
