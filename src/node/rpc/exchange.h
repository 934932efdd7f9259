#pragma once
// One call, between the thread that runs its handler and the loop that talks to the caller. Internal to the server.
//
// The handler's side is thread-safe. Each exchange has its own lock; no handler runs and no other lock is taken while it is held.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "node/rpc/service.h"
#include "node/rpc/wire.h"

namespace allot::node::rpc {

class Exchange;
class Session;

// Through the mailbox, handlers make the loop look at an exchange. Each exchange keeps it alive, so it can outlive the loop.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void Post(std::shared_ptr<Exchange> exchange);
  void Wake() const;

  // For the loop. `fd` is readable when the mailbox has an exchange.
  int fd() const { return fd_; }
  std::vector<std::shared_ptr<Exchange>> Take();
  // Drops exchanges that were posted, and those that will be.
  void Close();

 private:
  const int fd_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> posted_;
  bool closed_ = false;
};

struct ExchangeRequest {
  const Method* method = nullptr;
  std::string path;
  std::string message;
  std::optional<MonotonicTime> deadline;
  std::optional<http::PeerCredentials> peer;
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(ExchangeRequest request, std::shared_ptr<Mailbox> mailbox) : request_(std::move(request)), mailbox_(std::move(mailbox)) {}

  Method::Kind kind() const { return request_.method->kind; }
  // Runs the handler, unless the caller is gone or its deadline has passed. Called at most once, while the services live.
  void Run();

  // The handler's side. A message replaces an earlier one that was not taken yet. False: the call is over.
  bool Send(std::string message);
  // Only the first call counts.
  void End(Outcome outcome);
  bool closed() const;

  // The loop's side.
  struct News {
    std::optional<std::string> message;
    std::optional<Outcome> end;  // to be sent after the message
  };
  News Take();
  // The caller is gone. What the handler still sends is dropped.
  void Abort();

  Session* session = nullptr;  // used by the loop alone, like the stream's number; null: aborted
  int32_t stream = 0;

 private:
  void Notify(std::unique_lock<std::mutex> locked);
  void RunHandler(const Call& call, std::string_view message);
  Outcome Judge(const Call& call, const Status& status) const;

  ExchangeRequest request_;
  const std::shared_ptr<Mailbox> mailbox_;

  mutable std::mutex mutex_;   // of request_.message and the members below
  Cancel* running_ = nullptr;  // of the running handler; a call that waits for a worker costs no descriptor
  bool aborted_ = false;
  bool notified_ = false;  // the loop is going to call Take
  bool ended_ = false;
  News news_;
};

}  // namespace allot::node::rpc
