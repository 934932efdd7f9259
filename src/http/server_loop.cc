#include "http/server_loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/check.h"

namespace allot::http {
namespace {

constexpr int kAcceptsInARow = 128;
constexpr std::chrono::milliseconds kAcceptPause(100);

uint32_t Events(Connection::Interest interest) {
  return (interest.read ? uint32_t{EPOLLIN} : 0) | (interest.write ? uint32_t{EPOLLOUT} : 0);
}

bool Control(int epoll, int operation, int fd, uint32_t events, void* tag) {
  epoll_event event = {};
  event.events = events;
  event.data.ptr = tag;
  return epoll_ctl(epoll, operation, fd, &event) == 0;
}

// Returns the user whose connections are counted against max_of_user; nullopt if they are not limited.
std::optional<uid_t> LimitedUser(const Accepted& accepted) {
  if (!accepted.credentials || accepted.credentials->uid == 0 || accepted.credentials->uid == ::geteuid()) return std::nullopt;
  return accepted.credentials->uid;
}

MonotonicTime Now() { return SystemClock().MonotonicNow(); }

}  // namespace

ServerLoop::ServerLoop(Listener listener, Socket epoll, ServerOptions options, Handler handler)
    : options_(std::move(options)),
      workers_(options_.workers, options_.max_waiting, std::move(handler)),
      tls_(options_.tls),
      epoll_(std::move(epoll)),
      listener_(std::move(listener)),
      host_{.options = options_,
            .workers = workers_,
            .mailbox = mailbox_,
            .served = served_,
            .read_buffer = read_buffer_,
            .write_buffer = write_buffer_,
            .now = Now()} {
  CHECK(Control(epoll_.fd(), EPOLL_CTL_ADD, mailbox_->fd(), EPOLLIN, mailbox_.get()));
  CHECK(Control(epoll_.fd(), EPOLL_CTL_ADD, listener_->fd(), EPOLLIN, &listener_));
  thread_ = std::thread([this] { Run(); });
}

void ServerLoop::Stop(MonotonicTime deadline) {
  {
    const std::lock_guard lock(mutex_);
    stop_deadline_ = std::min(stop_deadline_.value_or(deadline), deadline);
  }
  mailbox_->Wake();
  const std::lock_guard lock(stop_mutex_);
  if (thread_.joinable()) thread_.join();
  workers_.Stop();
}

void ServerLoop::SetTls(std::shared_ptr<const TlsServer> tls) {
  const std::lock_guard lock(mutex_);
  tls_.swap(tls);
}

ServerStats ServerLoop::stats() const { return {.open = open_, .total = total_, .refused = refused_, .served = served_}; }

void ServerLoop::Run() {
  while (!draining_ || (!connections_.empty() && host_.now < drain_deadline_)) {
    Wait();
    TakePosted();
    Expire();
    BeginDrain();
    dropped_.clear();
  }
  workers_.Close();
  while (!connections_.empty()) Drop(*connections_.back());
  dropped_.clear();
  for (const auto& exchange : mailbox_->Close()) exchange->RunCallbacks();
}

void ServerLoop::Wait() {
  const MonotonicTime next = NextDeadline();
  int timeout = -1;
  if (next != Connection::kNever) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Now()).count();
    timeout = static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
  }
  std::array<epoll_event, 256> events;
  const int count = epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), timeout);
  CHECK(count >= 0 || errno == EINTR);
  host_.now = Now();
  bool accept = false;
  for (int i = 0; i < count; ++i) {
    void* const tag = events[static_cast<size_t>(i)].data.ptr;
    if (tag == mailbox_.get()) continue;  // checked in each round
    if (tag == &listener_) {
      accept = true;
      continue;
    }
    auto& connection = *static_cast<Connection*>(tag);
    if (connection.dropped) continue;
    Settle(connection, connection.OnReady((events[static_cast<size_t>(i)].events & (EPOLLHUP | EPOLLERR)) != 0));
  }
  if (accept) Accept();
}

MonotonicTime ServerLoop::NextDeadline() const {
  MonotonicTime next = std::min(accept_again_, drain_deadline_);
  if (!timers_.empty()) next = std::min(next, timers_.begin()->first);
  return next;
}

void ServerLoop::Accept() {
  for (int i = 0; i < kAcceptsInARow && listener_; ++i) {
    auto accepted = listener_->Accept();
    if (!accepted.ok()) {
      Control(epoll_.fd(), EPOLL_CTL_MOD, listener_->fd(), 0, &listener_);
      accept_again_ = host_.now + kAcceptPause;
      return;
    }
    if (!accepted->has_value()) return;
    if (HasRoomFor(**accepted)) {
      Adopt(*std::move(*accepted));
    } else {
      ++refused_;
    }
  }
}

bool ServerLoop::HasRoomFor(const Accepted& accepted) const {
  if (connections_.size() >= options_.max_connections) return false;
  const std::optional<uid_t> user = LimitedUser(accepted);
  const auto has = user ? of_user_.find(*user) : of_user_.end();
  return has == of_user_.end() || has->second < options_.max_of_user;
}

void ServerLoop::Adopt(Accepted accepted) {
  std::shared_ptr<const TlsServer> tls;
  {
    const std::lock_guard lock(mutex_);
    tls = tls_;
  }
  auto transport = tls != nullptr ? tls->Wrap(std::move(accepted.socket)) : PlainTransport(std::move(accepted.socket));
  auto connection = std::make_unique<Connection>(std::move(transport), std::move(accepted.peer), accepted.credentials, host_);
  connection->counted_for = LimitedUser(accepted);
  connection->watched = connection->interest();
  if (!Control(epoll_.fd(), EPOLL_CTL_ADD, connection->fd(), Events(connection->watched), connection.get())) {
    ++refused_;
    return;
  }
  if (connection->counted_for) ++of_user_[*connection->counted_for];
  connection->index = connections_.size();
  Arm(*connection);
  connections_.push_back(std::move(connection));
  ++total_;
  ++open_;
}

void ServerLoop::TakePosted() {
  for (const auto& exchange : mailbox_->Take()) {
    Connection* const connection = exchange->connection;
    if (connection == nullptr) {
      exchange->RunCallbacks();
    } else {
      Settle(*connection, connection->OnPosted());  // may detach the exchange from the connection
    }
  }
}

void ServerLoop::Expire() {
  if (accept_again_ <= host_.now) {
    accept_again_ = Connection::kNever;
    if (listener_) Control(epoll_.fd(), EPOLL_CTL_MOD, listener_->fd(), EPOLLIN, &listener_);
  }
  while (!timers_.empty() && timers_.begin()->first <= host_.now) {
    Connection& connection = *timers_.begin()->second;
    timers_.erase(timers_.begin());
    connection.armed = Connection::kNever;
    Settle(connection, connection.deadline() > host_.now || connection.OnDeadline());
  }
}

void ServerLoop::BeginDrain() {
  {
    const std::lock_guard lock(mutex_);
    if (!stop_deadline_) return;
    drain_deadline_ = *stop_deadline_;
  }
  if (std::exchange(draining_, true)) return;
  listener_.reset();
  mailbox_->draining = true;
  // Iterate backwards: dropping a connection moves the last one into its place.
  for (size_t i = connections_.size(); i-- > 0;) Settle(*connections_[i], connections_[i]->OnDrain());
}

void ServerLoop::Settle(Connection& connection, bool alive) {
  if (!alive) return Drop(connection);
  const Connection::Interest interest = connection.interest();
  if (interest != connection.watched) {
    connection.watched = interest;
    CHECK(Control(epoll_.fd(), EPOLL_CTL_MOD, connection.fd(), Events(interest), &connection));
  }
  Arm(connection);
}

void ServerLoop::Arm(Connection& connection) {
  const MonotonicTime deadline = connection.deadline();
  if (deadline >= connection.armed) return;
  if (connection.armed != Connection::kNever) timers_.erase({connection.armed, &connection});
  connection.armed = deadline;
  timers_.emplace(deadline, &connection);
}

void ServerLoop::Drop(Connection& connection) {
  if (connection.armed != Connection::kNever) timers_.erase({connection.armed, &connection});
  connection.dropped = true;
  if (const std::optional<uid_t> user = connection.counted_for; user && --of_user_[*user] == 0) of_user_.erase(*user);
  const size_t index = connection.index;
  std::swap(connections_[index], connections_.back());
  connections_[index]->index = index;
  dropped_.push_back(std::move(connections_.back()));
  connections_.pop_back();
  Control(epoll_.fd(), EPOLL_CTL_DEL, connection.fd(), 0, nullptr);
  --open_;
  connection.Close();
}

}  // namespace allot::http
