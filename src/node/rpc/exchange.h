#pragma once
// One call on its way between the thread that runs its handler and the loop that speaks with the caller. Internal to the server.
//
// The handler's side is thread-safe. Each exchange has a lock of its own; no handler and no other lock is taken under it.

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

// How handlers make the loop look at an exchange. Outlives the loop: each exchange holds it.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void Post(std::shared_ptr<Exchange> exchange);
  void Wake() const;

  // For the loop. `fd` is readable when there is something.
  int fd() const { return fd_; }
  std::vector<std::shared_ptr<Exchange>> Take();
  // Drops what is posted, and what will be.
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
  // Runs the handler, unless the caller is gone or its deadline is over. At most once, while the services live.
  void Run();

  // The handler's side. Of messages that were not taken yet the last one counts. False: the call is over.
  bool Send(std::string message);
  // The first one counts.
  void End(Outcome outcome);
  bool closed() const;

  // The loop's side.
  struct News {
    std::optional<std::string> message;
    std::optional<Outcome> end;  // after the message
  };
  News Take();
  // The caller is gone: what the handler still says is dropped.
  void Abort();

  Session* session = nullptr;  // the loop's alone, with the number of the stream; null: aborted
  int32_t stream = 0;

 private:
  void Notify(std::unique_lock<std::mutex> locked);
  void RunHandler(const Call& call, std::string_view message);
  Outcome Judge(const Call& call, const Status& status) const;

  ExchangeRequest request_;
  const std::shared_ptr<Mailbox> mailbox_;

  mutable std::mutex mutex_;   // of request_.message and what follows
  Cancel* running_ = nullptr;  // the running handler's: one that waits for a worker costs no descriptor
  bool aborted_ = false;
  bool notified_ = false;  // the loop will Take
  bool ended_ = false;
  News news_;
};

}  // namespace allot::node::rpc
