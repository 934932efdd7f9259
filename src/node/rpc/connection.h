#pragma once
// One connection of the server: a session and the socket that it speaks through. Internal to the server.
//
// Used by the loop's thread alone. Knows nothing of epoll: says what it waits for, and is told when that may be there.

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

// What epoll tells the loop of.
struct Watched {
  enum class Kind { kEndpoint, kConnection };
  explicit Watched(Kind k) : kind(k) {}
  const Kind kind;
};

// A socket that is served.
struct Endpoint : Watched {
  Endpoint(http::Listener l, std::shared_ptr<const Services> s, EndpointOptions o)
      : Watched(Kind::kEndpoint), listener(std::move(l)), services(std::move(s)), options(o) {}

  std::optional<http::Listener> listener;  // nothing: the server drains
  const std::shared_ptr<const Services> services;
  const EndpointOptions options;
  size_t connections = 0;
};

class Connection : public Watched {
 public:
  // The endpoint outlives it.
  Connection(http::Accepted accepted, Endpoint& endpoint, const std::shared_ptr<Mailbox>& mailbox, MonotonicTime now);

  // Reads what is there. False: the connection is over. Follow it with Flush.
  bool Read(std::span<char> buffer, std::vector<std::shared_ptr<Exchange>>& started);
  // Sends what there is. False: the connection is over.
  bool Flush(MonotonicTime now);

  // What Flush left.
  bool wants_read() const { return unsent_.empty() || session_.wants_input(); }
  bool wants_write() const { return !unsent_.empty(); }
  // Since when it has no call; nothing: it has some.
  std::optional<MonotonicTime> idle_since() const { return idle_since_; }

  int fd() const { return transport_->fd(); }
  Session& session() { return session_; }
  Endpoint& endpoint() { return endpoint_; }

  // The loop's notes.
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
