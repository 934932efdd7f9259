#pragma once
// One connection of the server: a session and its socket. Internal to the server.
//
// Used by the loop's thread alone. It knows nothing about epoll: it says what it waits for, and the loop calls it when that may be ready.

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "http/listener.h"
#include "http/transport.h"
#include "node/rpc/server.h"
#include "node/rpc/session.h"

namespace allot::node::rpc {

// An object that epoll reports events for.
struct Watched {
  enum class Kind { kEndpoint, kConnection };
  explicit Watched(Kind k) : kind(k) {}
  const Kind kind;
};

// A listening socket.
struct Endpoint : Watched {
  Endpoint(http::Listener l, std::shared_ptr<const Services> s, EndpointOptions o)
      : Watched(Kind::kEndpoint), listener(std::move(l)), services(std::move(s)), options(o) {}

  std::optional<http::Listener> listener;  // nothing while the server drains
  const std::shared_ptr<const Services> services;
  const EndpointOptions options;
  size_t connections = 0;
};

class Connection : public Watched {
 public:
  // The endpoint must outlive it.
  Connection(http::Accepted accepted, Endpoint& endpoint, const std::shared_ptr<Mailbox>& mailbox, MonotonicTime now);

  // Reads the bytes that have arrived. False: the connection is over. Call Flush after it.
  bool Read(std::span<char> buffer, std::vector<std::shared_ptr<Exchange>>& started);
  // Sends as much as the socket takes. False: the connection is over.
  bool Flush(MonotonicTime now);

  // What the connection waits for after Flush.
  bool wants_read() const { return unsent_.empty() || session_.wants_input(); }
  bool wants_write() const { return !unsent_.empty(); }
  // Since when it has had no call. Nothing: it has a call.
  std::optional<MonotonicTime> idle_since() const { return idle_since_; }

  int fd() const { return transport_->fd(); }
  Session& session() { return session_; }
  Endpoint& endpoint() { return endpoint_; }

  // For the loop's use.
  std::list<std::unique_ptr<Connection>>::iterator place;
  uint32_t events = 0;
  bool dropped = false;

 private:
  Endpoint& endpoint_;
  const std::unique_ptr<http::Transport> transport_;
  Session session_;
  std::string_view unsent_;  // of the session's output
  std::optional<MonotonicTime> idle_since_;
};

}  // namespace allot::node::rpc
