#pragma once
// The thread that moves the bytes of all connections of a server, with epoll. Internal to the server.

#include <array>
#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "node/rpc/connection.h"
#include "node/rpc/exchange.h"
#include "node/rpc/server.h"
#include "node/rpc/workers.h"

namespace allot::node::rpc {

class Loop {
 public:
  Loop(http::Socket epoll, const ServerOptions& options);
  ~Loop() { Stop(MonotonicTime::min()); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Thread-safe; see Server.
  void Add(std::unique_ptr<Endpoint> endpoint);
  void Stop(MonotonicTime deadline);
  ServerStats stats() const;

 private:
  static constexpr MonotonicTime kNever = MonotonicTime::max();

  void Run();
  void Wait();
  void TakeOrders();
  // Closes the socket that a new one with the same services replaces.
  void Replace(const Services& services);
  void ForgetEndpoints();
  void TakePosted();
  void Accept(Endpoint& endpoint);
  void Adopt(http::Accepted accepted, Endpoint& endpoint);
  bool MakeRoom(Endpoint& endpoint);
  void AcceptAgain();
  void OnReadable(Connection& connection);
  void Begin(const std::vector<std::shared_ptr<Exchange>>& started);
  void BeginDrain();
  void Settle(Connection& connection);
  void Drop(Connection& connection);

  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::atomic<size_t> open_{0}, sockets_{0};
  std::atomic<uint64_t> calls_{0};

  std::mutex mutex_;
  std::vector<std::unique_ptr<Endpoint>> added_;  // by Add, not yet served
  std::optional<MonotonicTime> stop_deadline_;    // set by Stop
  bool ended_ = false;
  std::mutex stop_mutex_;  // lets one thread at a time join

  // Used by the thread alone.
  const http::Socket epoll_;
  std::list<std::unique_ptr<Endpoint>> endpoints_;
  std::list<std::unique_ptr<Connection>> connections_;
  std::list<std::unique_ptr<Connection>> dropped_;  // kept until no event of this round can refer to them
  MonotonicTime now_;
  MonotonicTime accept_again_ = kNever;  // when to accept again after the process ran out of descriptors
  bool draining_ = false;
  MonotonicTime drain_deadline_ = kNever;
  std::array<char, 64 << 10> read_buffer_;

  Workers workers_;  // its threads use only the mailbox of the members above, and end before it is destroyed
  std::thread thread_;
};

}  // namespace allot::node::rpc
