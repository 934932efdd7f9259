#include "http/transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

namespace allot::http {
namespace {

class Plain final : public Transport {
 public:
  explicit Plain(Socket socket) : socket_(std::move(socket)) {}

  Result<Progress> Read(std::span<char> into) override {
    const ssize_t n = recv(socket_.fd(), into.data(), into.size(), MSG_DONTWAIT);
    if (n == 0) return Progress{.end = true};
    return n > 0 ? Progress{.bytes = static_cast<size_t>(n)} : Failed(Wait::kRead);
  }

  Result<Progress> Write(std::string_view bytes) override {
    const ssize_t n = send(socket_.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return n >= 0 ? Progress{.bytes = static_cast<size_t>(n)} : Failed(Wait::kWrite);
  }

  int fd() const override { return socket_.fd(); }

 private:
  static Result<Progress> Failed(Wait wait) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return Progress{.wait = wait};
    return Unavailable(std::strerror(errno));
  }

  const Socket socket_;
};

class Shared final : public Transport {
 public:
  explicit Shared(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

  Result<Progress> Read(std::span<char> into) override {
    const std::lock_guard lock(mutex_);
    return transport_->Read(into);
  }
  Result<Progress> Write(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    return transport_->Write(bytes);
  }
  bool HasPending() const override {
    const std::lock_guard lock(mutex_);
    return transport_->HasPending();
  }
  void Goodbye() override {
    const std::lock_guard lock(mutex_);
    transport_->Goodbye();
  }
  int fd() const override { return transport_->fd(); }
  std::string PeerName() const override {
    const std::lock_guard lock(mutex_);
    return transport_->PeerName();
  }

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<Transport> transport_;
};

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

int Socket::Release() { return std::exchange(fd_, -1); }

std::unique_ptr<Transport> PlainTransport(Socket socket) { return std::make_unique<Plain>(std::move(socket)); }

std::shared_ptr<Transport> SharedTransport(std::unique_ptr<Transport> transport) { return std::make_shared<Shared>(std::move(transport)); }

}  // namespace allot::http
