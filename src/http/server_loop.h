#pragma once
// The thread that moves the bytes of all connections of a server, with epoll. Internal to the server.

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "http/server.h"
#include "http/server_connection.h"
#include "http/server_exchange.h"
#include "http/server_workers.h"

namespace allot::http {

class ServerLoop {
 public:
  ServerLoop(Listener listener, Socket epoll, ServerOptions options, Handler handler);
  ~ServerLoop() { Stop(MonotonicTime::min()); }
  ServerLoop(const ServerLoop&) = delete;
  ServerLoop& operator=(const ServerLoop&) = delete;

  // Thread-safe; see Server::Drain.
  void Stop(MonotonicTime deadline);
  void SetTls(std::shared_ptr<const TlsServer> tls);
  ServerStats stats() const;

 private:
  void Run();
  void Wait();
  void Accept();
  bool HasRoomFor(const Accepted& accepted) const;
  void Adopt(Accepted accepted);
  void TakePosted();
  void Expire();
  void BeginDrain();

  // Call after each call into a connection; `alive` is what that returned.
  void Settle(Connection& connection, bool alive);
  void Arm(Connection& connection);
  void Drop(Connection& connection);
  MonotonicTime NextDeadline() const;

  const ServerOptions options_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  Workers workers_;
  std::atomic<uint64_t> open_{0}, total_{0}, refused_{0}, served_{0};

  mutable std::mutex mutex_;
  std::shared_ptr<const TlsServer> tls_;
  std::optional<MonotonicTime> stop_deadline_;  // set by Stop
  std::mutex stop_mutex_;                       // serialises joining the thread

  // Used only by the loop's thread.
  const Socket epoll_;
  std::optional<Listener> listener_;
  MonotonicTime accept_again_ = Connection::kNever;  // when to retry accepting after running out of descriptors
  bool draining_ = false;
  MonotonicTime drain_deadline_ = Connection::kNever;
  std::array<char, 64 << 10> read_buffer_;
  std::array<char, 16 << 10> write_buffer_;
  ConnectionHost host_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::map<uid_t, size_t> of_user_;                   // connections per limited user
  std::vector<std::unique_ptr<Connection>> dropped_;  // kept until no event of this round can refer to them
  // At most one entry per connection, at or before its deadline. When a deadline moves later the entry stays and is corrected once it
  // fires, so a busy connection does not touch the set.
  std::set<std::pair<MonotonicTime, Connection*>> timers_;

  std::thread thread_;
};

}  // namespace allot::http
