#include "node/rpc/connection.h"

#include <utility>

namespace allot::node::rpc {

Connection::Connection(http::Accepted accepted, Endpoint& endpoint, const std::shared_ptr<Mailbox>& mailbox, MonotonicTime now)
    : Watched(Kind::kConnection),
      endpoint_(endpoint),
      transport_(http::PlainTransport(std::move(accepted.socket))),
      session_(*endpoint.services, endpoint.options.limits, accepted.credentials, mailbox),
      idle_since_(now) {
  session_.connection = this;
}

bool Connection::Read(std::span<char> buffer, std::vector<std::shared_ptr<Exchange>>& started) {
  const auto progress = transport_->Read(buffer);
  if (!progress.ok() || progress->end) return false;
  return progress->bytes == 0 || session_.Receive({buffer.data(), progress->bytes}, started);
}

bool Connection::Flush(MonotonicTime now) {
  for (;;) {
    if (unsent_.empty()) unsent_ = session_.NextOutput();
    if (unsent_.empty()) break;
    const auto progress = transport_->Write(unsent_);
    if (!progress.ok()) return false;
    if (progress->bytes == 0) break;
    unsent_.remove_prefix(progress->bytes);
  }
  if (session_.calls() > 0) {
    idle_since_.reset();
  } else if (!idle_since_) {
    idle_since_ = now;
  }
  return !unsent_.empty() || !session_.done();
}

}  // namespace allot::node::rpc
