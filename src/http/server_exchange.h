#pragma once
// One response on its way from the threads that write it to the loop that sends it. Internal to the server.
//
// The writers' side is thread-safe. Each exchange has a lock of its own; no callback and no other lock but the transport's is taken under
// it.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"
#include "http/transport.h"

namespace allot::http {

class Connection;
class Exchange;

// Bytes to send: of this piece alone, or shared with others.
struct Piece {
  explicit Piece(std::string bytes) : own(std::move(bytes)) {}
  explicit Piece(std::shared_ptr<const std::string> bytes) : shared(std::move(bytes)) {}
  std::string_view view() const { return shared != nullptr ? *shared : own; }

  std::string own;
  std::shared_ptr<const std::string> shared;
};

// How writers make the loop look at an exchange. Outlives the loop: each exchange holds it.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // False: the loop has ended.
  bool Post(std::shared_ptr<Exchange> exchange);
  void Wake() const;

  // For the loop. `fd` is readable when there is something.
  int fd() const { return fd_; }
  std::vector<std::shared_ptr<Exchange>> Take();
  // Nothing can be posted any more; what was, is returned.
  std::vector<std::shared_ptr<Exchange>> Close();

  std::atomic<bool> draining{false};

 private:
  const int fd_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> posted_;
  bool closed_ = false;
};

struct ExchangeOptions {
  bool is_head = false;    // the request was HEAD: no body
  bool keep_alive = true;  // the client would take another response
  bool can_chunk = true;   // HTTP/1.1
  size_t max_queued = 0;
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  // `transport` is thread-safe, and is let go of as soon as the response has begun, or the connection is closed.
  Exchange(ExchangeOptions options, std::shared_ptr<Mailbox> mailbox, std::shared_ptr<Transport> transport)
      : options_(options), mailbox_(std::move(mailbox)), transport_(std::move(transport)) {}

  // The writers' side: see ResponseWriter.
  WriteState Send(Response response);
  WriteState Start(int status, Headers headers);
  WriteState Write(std::span<Piece> pieces);
  void End();
  size_t queued_bytes() const;
  void OnGone(std::function<void()> callback);
  void OnDrain(std::function<void()> callback);
  // No writer is left.
  void Abandon();

  // The loop's side.
  struct Taken {
    bool complete = false;  // all of the response was taken
    bool cut = false;       // no more will come, and the response is not complete
    bool close = false;     // the connection ends with this response
    bool due = false;       // RunCallbacks has something to do
    size_t bytes = 0;       // appended
  };
  // Appends what was written since.
  Taken Take(std::vector<Piece>& into);
  // How many bytes taken are not sent.
  void SetUnsent(size_t bytes) { unsent_.store(bytes, std::memory_order_relaxed); }
  // The client sends no more: a stream is over, a Send would still be tried.
  void MarkGone();
  // There is no connection any more.
  void MarkClosed();
  // Calls those that are due. Not under a lock, of whomever.
  void RunCallbacks();
  bool streaming() const;

  Connection* connection = nullptr;  // the loop's alone

 private:
  enum class State { kNothing, kStream, kComplete };

  // `locked` is the lock on mutex_; both release it.
  void Notify(std::unique_lock<std::mutex> locked);
  void Cut(std::unique_lock<std::mutex> locked);
  void PutHead(int status, Headers headers, std::optional<size_t> length);
  void Put(Piece piece);
  // Sends as much of a short response as the kernel takes, right here: the client need not wait for the loop.
  void SendNow(std::shared_ptr<Transport> transport);
  bool HasBody(int status) const { return !options_.is_head && status != 204 && status != 304; }

  const ExchangeOptions options_;
  const std::shared_ptr<Mailbox> mailbox_;
  std::atomic<size_t> unsent_{0};

  mutable std::mutex mutex_;
  State state_ = State::kNothing;
  bool gone_ = false, closed_ = false, cut_ = false;
  bool notified_ = false;  // the loop will Take
  bool close_ = false;     // the head says so
  bool body_ = true;       // pieces are sent, not only counted
  size_t waiting_bytes_ = 0;
  std::vector<Piece> waiting_;
  std::shared_ptr<Transport> transport_;
  std::function<void()> on_gone_, on_drain_;
};

// What a handler holds: the last one to let go abandons the exchange.
std::shared_ptr<ResponseWriter> MakeWriter(std::shared_ptr<Exchange> exchange);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string HttpDate(WallTime time);

}  // namespace allot::http
