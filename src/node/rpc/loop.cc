#include "node/rpc/loop.h"

#include <malloc.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "base/check.h"

namespace allot::node::rpc {
namespace {

constexpr int kAcceptsInARow = 64;
constexpr std::chrono::milliseconds kAcceptPause(100);

bool Control(int epoll, int operation, int fd, uint32_t events, Watched* tag) {
  epoll_event event = {};
  event.events = events;
  event.data.ptr = tag;
  return epoll_ctl(epoll, operation, fd, &event) == 0;
}

MonotonicTime Now() { return SystemClock().MonotonicNow(); }

}  // namespace

Loop::Loop(http::Socket epoll, const ServerOptions& options)
    : epoll_(std::move(epoll)), now_(Now()), workers_(options.workers, [mailbox = mailbox_] { mailbox->Wake(); }) {
  CHECK(Control(epoll_.fd(), EPOLL_CTL_ADD, mailbox_->fd(), EPOLLIN, nullptr));
  thread_ = std::thread([this] { Run(); });
}

void Loop::Add(std::unique_ptr<Endpoint> endpoint) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    added_.push_back(std::move(endpoint));
  }
  mailbox_->Wake();
}

void Loop::Stop(MonotonicTime deadline) {
  {
    const std::lock_guard lock(mutex_);
    stop_deadline_ = std::min(stop_deadline_.value_or(deadline), deadline);
  }
  mailbox_->Wake();
  const std::lock_guard lock(stop_mutex_);
  if (thread_.joinable()) thread_.join();
  workers_.Stop();
}

ServerStats Loop::stats() const {
  return {.sockets = sockets_, .connections = open_, .threads = workers_.threads(), .idle = workers_.idle(), .calls = calls_};
}

void Loop::Run() {
  while (!draining_ || (!connections_.empty() && now_ < drain_deadline_)) {
    Wait();
    TakePosted();  // comes first, because it resets the descriptor; an order after that wakes the loop again
    TakeOrders();
    AcceptAgain();
    dropped_.clear();
    ForgetEndpoints();
    // The workers of a burst have ended, and the memory of its calls is free.
    if (workers_.Reap()) malloc_trim(0);
  }
  workers_.Close();
  while (!connections_.empty()) Drop(*connections_.back());
  dropped_.clear();
  mailbox_->Close();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  added_.clear();
}

void Loop::Wait() {
  const MonotonicTime next = std::min(accept_again_, drain_deadline_);
  int timeout = -1;
  if (next != kNever) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Now()).count();
    timeout = static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
  }
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), timeout);
  CHECK(count >= 0 || errno == EINTR);
  now_ = Now();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    auto* const watched = static_cast<Watched*>(event.data.ptr);
    if (watched == nullptr) continue;  // the mailbox, which each round looks at
    if (watched->kind == Watched::Kind::kEndpoint) {
      Accept(static_cast<Endpoint&>(*watched));
      continue;
    }
    auto& connection = static_cast<Connection&>(*watched);
    if (connection.dropped) continue;
    if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
      OnReadable(connection);
    } else {
      Settle(connection);
    }
  }
}

void Loop::TakeOrders() {
  std::vector<std::unique_ptr<Endpoint>> added;
  std::optional<MonotonicTime> deadline;
  {
    const std::lock_guard lock(mutex_);
    added.swap(added_);
    deadline = stop_deadline_;
  }
  for (auto& endpoint : added) {
    if (draining_ || deadline) continue;
    Replace(*endpoint->services);
    CHECK(Control(epoll_.fd(), EPOLL_CTL_ADD, endpoint->listener->fd(), EPOLLIN, endpoint.get()));
    endpoints_.push_back(std::move(endpoint));
  }
  if (!deadline) return;
  drain_deadline_ = *deadline;
  if (!std::exchange(draining_, true)) BeginDrain();
}

void Loop::Replace(const Services& services) {
  for (const auto& endpoint : endpoints_) {
    if (endpoint->services.get() == &services) endpoint->listener.reset();
  }
}

void Loop::ForgetEndpoints() {
  endpoints_.remove_if([](const auto& endpoint) { return !endpoint->listener && endpoint->connections == 0; });
  sockets_ = endpoints_.size();
}

void Loop::TakePosted() {
  for (const auto& exchange : mailbox_->Take()) {
    if (exchange->session == nullptr) continue;
    Connection& connection = *exchange->session->connection;
    exchange->session->OnPosted(*exchange);
    Settle(connection);
  }
}

void Loop::Accept(Endpoint& endpoint) {
  for (int i = 0; i < kAcceptsInARow && endpoint.listener; ++i) {
    auto accepted = endpoint.listener->Accept();
    if (!accepted.ok()) {
      Control(epoll_.fd(), EPOLL_CTL_MOD, endpoint.listener->fd(), 0, &endpoint);
      accept_again_ = now_ + kAcceptPause;
      return;
    }
    if (!accepted->has_value()) return;
    if (endpoint.connections < endpoint.options.max_connections || MakeRoom(endpoint)) Adopt(*std::move(*accepted), endpoint);
  }
}

void Loop::Adopt(http::Accepted accepted, Endpoint& endpoint) {
  auto connection = std::make_unique<Connection>(std::move(accepted), endpoint, mailbox_, now_);
  connection->events = EPOLLIN;
  if (!Control(epoll_.fd(), EPOLL_CTL_ADD, connection->fd(), EPOLLIN, connection.get())) return;
  connections_.push_back(std::move(connection));
  Connection& added = *connections_.back();
  added.place = std::prev(connections_.end());
  ++endpoint.connections;
  ++open_;
  Settle(added);  // to send the settings
}

bool Loop::MakeRoom(Endpoint& endpoint) {
  Connection* oldest = nullptr;
  for (const auto& connection : connections_) {
    if (&connection->endpoint() != &endpoint || !connection->idle_since()) continue;
    if (oldest == nullptr || *connection->idle_since() < *oldest->idle_since()) oldest = connection.get();
  }
  if (oldest == nullptr) return false;
  Drop(*oldest);
  return true;
}

void Loop::AcceptAgain() {
  if (accept_again_ > now_) return;
  accept_again_ = kNever;
  for (const auto& endpoint : endpoints_) {
    if (endpoint->listener) Control(epoll_.fd(), EPOLL_CTL_MOD, endpoint->listener->fd(), EPOLLIN, endpoint.get());
  }
}

void Loop::OnReadable(Connection& connection) {
  std::vector<std::shared_ptr<Exchange>> started;
  const bool alive = connection.Read(read_buffer_, started);
  if (!alive) {
    connection.Flush(now_);  // tells the peer why, if it still reads
    return Drop(connection);
  }
  Begin(started);
  Settle(connection);
}

void Loop::Begin(const std::vector<std::shared_ptr<Exchange>>& started) {
  for (const auto& exchange : started) {
    ++calls_;
    if (exchange->kind() != Method::Kind::kUnary) {
      exchange->Run();
    } else if (!workers_.Post(exchange)) {
      exchange->End({GrpcCode::kResourceExhausted, "too many calls wait for a thread"});
    }
  }
}

void Loop::BeginDrain() {
  for (const auto& endpoint : endpoints_) endpoint->listener.reset();
  for (auto it = connections_.begin(); it != connections_.end();) {
    Connection& connection = **it++;
    connection.session().Drain();
    Settle(connection);
  }
}

void Loop::Settle(Connection& connection) {
  if (connection.dropped) return;
  if (!connection.Flush(now_)) return Drop(connection);
  const uint32_t events = (connection.wants_read() ? uint32_t{EPOLLIN} : 0) | (connection.wants_write() ? uint32_t{EPOLLOUT} : 0);
  if (events == connection.events) return;
  connection.events = events;
  CHECK(Control(epoll_.fd(), EPOLL_CTL_MOD, connection.fd(), events, &connection));
}

void Loop::Drop(Connection& connection) {
  connection.dropped = true;
  Control(epoll_.fd(), EPOLL_CTL_DEL, connection.fd(), 0, nullptr);
  --connection.endpoint().connections;
  --open_;
  connection.session().Close();
  dropped_.splice(dropped_.end(), connections_, connection.place);
}

}  // namespace allot::node::rpc
