#pragma once
// One response on its way from the threads that write it to the loop that sends it. Internal to the server.
//
// The writers' side is thread-safe. Each exchange has its own lock. While it is held, no callback runs and no lock except the transport's
// is taken.

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

// Bytes to send, owned by this piece or shared with others.
struct Piece {
  explicit Piece(std::string bytes) : own(std::move(bytes)) {}
  explicit Piece(std::shared_ptr<const std::string> bytes) : shared(std::move(bytes)) {}
  std::string_view view() const { return shared != nullptr ? *shared : own; }

  std::string own;
  std::shared_ptr<const std::string> shared;
};

// Lets writers ask the loop to look at an exchange. Each exchange holds the mailbox, so it outlives the loop.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Returns false if the loop has ended.
  bool Post(std::shared_ptr<Exchange> exchange);
  void Wake() const;

  // For the loop. `fd` is readable when something was posted.
  int fd() const { return fd_; }
  std::vector<std::shared_ptr<Exchange>> Take();
  // Rejects further posts and returns the pending ones.
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
  bool keep_alive = true;  // the client accepts another response
  bool can_chunk = true;   // the client speaks HTTP/1.1
  size_t max_queued = 0;
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  // `transport` is thread-safe. The exchange releases it when the response has begun or the connection is closed.
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
  // The last writer is gone.
  void Abandon();

  // The loop's side.
  struct Taken {
    bool complete = false;  // all of the response was taken
    bool cut = false;       // the response is incomplete and no more will come
    bool close = false;     // the connection ends with this response
    bool due = false;       // a callback is due: call RunCallbacks
    size_t bytes = 0;       // bytes appended
  };
  // Appends what was written since the last call.
  Taken Take(std::vector<Piece>& into);
  // Sets how many of the taken bytes are not sent yet.
  void SetUnsent(size_t bytes) { unsent_.store(bytes, std::memory_order_relaxed); }
  // The client sends no more: ends a stream, but a Send is still tried.
  void MarkGone();
  // The connection is closed.
  void MarkClosed();
  // Calls the callbacks that are due. Call it without holding any lock.
  void RunCallbacks();
  bool streaming() const;

  Connection* connection = nullptr;  // used only by the loop

 private:
  enum class State { kNothing, kStream, kComplete };

  // `locked` is the lock on mutex_; both functions release it.
  void Notify(std::unique_lock<std::mutex> locked);
  void Cut(std::unique_lock<std::mutex> locked);
  void PutHead(int status, Headers headers, std::optional<size_t> length);
  void Put(Piece piece);
  // Sends as much of a short response as the kernel accepts, so the client need not wait for the loop.
  void SendNow(std::shared_ptr<Transport> transport);
  bool HasBody(int status) const { return !options_.is_head && status != 204 && status != 304; }

  const ExchangeOptions options_;
  const std::shared_ptr<Mailbox> mailbox_;
  std::atomic<size_t> unsent_{0};

  mutable std::mutex mutex_;
  State state_ = State::kNothing;
  bool gone_ = false, closed_ = false, cut_ = false;
  bool notified_ = false;  // the loop will call Take
  bool close_ = false;     // the head says "Connection: close"
  bool body_ = true;       // the response has a body; false: pieces are counted, not sent
  size_t waiting_bytes_ = 0;
  std::vector<Piece> waiting_;
  std::shared_ptr<Transport> transport_;
  std::function<void()> on_gone_, on_drain_;
};

// Makes the handle for a handler. Releasing the last copy abandons the exchange.
std::shared_ptr<ResponseWriter> MakeWriter(std::shared_ptr<Exchange> exchange);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string HttpDate(WallTime time);

}  // namespace allot::http
