#include "node/rpc/server.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "node/rpc/loop.h"

namespace allot::node::rpc {

Result<std::unique_ptr<Server>> Server::Start(ServerOptions options) {
  http::Socket epoll(epoll_create1(EPOLL_CLOEXEC));
  if (epoll.fd() < 0) return Unavailable("start the gRPC server: ", std::strerror(errno));
  return std::make_unique<Server>(std::make_unique<Loop>(std::move(epoll), options));
}

Server::Server(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

Server::~Server() = default;

void Server::Serve(http::Listener listener, std::shared_ptr<const Services> services, EndpointOptions options) {
  CHECK(services != nullptr);
  loop_->Add(std::make_unique<Endpoint>(std::move(listener), std::move(services), options));
}

void Server::Drain(MonotonicTime deadline) { loop_->Stop(deadline); }

ServerStats Server::stats() const { return loop_->stats(); }

}  // namespace allot::node::rpc
