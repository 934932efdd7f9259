#include "http/server.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "http/server_loop.h"

namespace allot::http {

Result<std::unique_ptr<Server>> Server::Start(Listener listener, ServerOptions options, Handler handler) {
  CHECK(handler != nullptr);
  Socket epoll(epoll_create1(EPOLL_CLOEXEC));
  if (epoll.fd() < 0) return Unavailable("start the HTTP server: ", std::strerror(errno));
  const int port = listener.port();
  auto loop = std::make_unique<ServerLoop>(std::move(listener), std::move(epoll), std::move(options), std::move(handler));
  return std::make_unique<Server>(std::move(loop), port);
}

Server::Server(std::unique_ptr<ServerLoop> loop, int port) : port_(port), loop_(std::move(loop)) {}

Server::~Server() = default;

void Server::Drain(MonotonicTime deadline) { loop_->Stop(deadline); }

void Server::SetTls(std::shared_ptr<const TlsServer> tls) { loop_->SetTls(std::move(tls)); }

ServerStats Server::stats() const { return loop_->stats(); }

}  // namespace allot::http
