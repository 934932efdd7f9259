#pragma once
// One connection of the server: reads requests, sends responses, keeps the timeouts. Internal to the server.
//
// Used by the loop's thread alone. Knows nothing of epoll: says what it waits for, and is told when that may be there.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/codec.h"
#include "http/server.h"
#include "http/server_exchange.h"
#include "http/server_workers.h"
#include "http/transport.h"

namespace allot::http {

// What the connections of a loop share.
struct ConnectionHost {
  const ServerOptions& options;
  Workers& workers;
  const std::shared_ptr<Mailbox>& mailbox;
  std::atomic<uint64_t>& served;
  std::span<char> read_buffer;   // at least a TLS record (16 KiB): then a Read leaves nothing behind
  std::span<char> write_buffer;  // small pieces are sent together
  MonotonicTime now;
};

class Connection {
 public:
  static constexpr MonotonicTime kNever = MonotonicTime::max();

  Connection(std::unique_ptr<Transport> transport, std::string peer, std::optional<PeerCredentials> credentials, ConnectionHost& host);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Each returns false when the connection is over.
  bool OnReady(bool hung_up);  // the socket may be ready
  bool OnPosted();             // the response has news
  bool OnDeadline();           // deadline() is over
  bool OnDrain();              // the server drains

  // Tells the response's writer. May be called twice.
  void Close();

  struct Interest {
    bool read = false, write = false;
    bool operator==(const Interest&) const = default;
  };
  Interest interest() const;
  MonotonicTime deadline() const;
  int fd() const { return transport_->fd(); }

  // The loop's notes.
  size_t index = 0;
  std::optional<uid_t> counted_for;
  Interest watched;
  MonotonicTime armed = kNever;
  bool dropped = false;

 private:
  enum class Phase {
    kReading,   // a request, or waiting for one
    kHandling,  // the response is being made or sent
    kLinger,    // all is sent; what the client still sends is thrown away, since unread bytes would make the kernel reset the connection
  };

  bool reading() const { return !input_ended_ && (phase_ != Phase::kHandling || input_.size() < host_.options.max_head); }
  bool Read();
  bool OnEnd();
  bool Advance();
  bool FinishResponse();
  void Consume(std::string_view bytes);
  int JudgeHead(const Head& head) const;
  void Dispatch();
  void Answer(int status, bool close, std::string_view text);
  bool Flush();
  std::string_view NextBytes();
  void Sent(size_t bytes);
  void Queue(std::string bytes);

  ConnectionHost& host_;
  const std::shared_ptr<Transport> transport_;  // with the exchange: a short response is sent by whoever made it
  const std::string peer_;
  const std::optional<PeerCredentials> credentials_;
  Phase phase_ = Phase::kReading;
  MonotonicTime read_deadline_;  // of kReading and kLinger

  // Input.
  std::optional<Parser> parser_;  // of the request that has begun
  std::string body_;
  std::string input_;  // of the requests after the one that is handled
  bool head_seen_ = false;
  bool input_ended_ = false;
  Transport::Wait read_wait_ = Transport::Wait::kRead;

  // The response.
  std::shared_ptr<Exchange> exchange_;  // nothing: the server's own
  bool complete_ = false, cut_ = false, close_ = false, linger_ = false;

  // Output.
  std::vector<Piece> out_;  // from front_ on, of which front_sent_ bytes are sent
  size_t front_ = 0, front_sent_ = 0, out_bytes_ = 0;
  Transport::Wait write_wait_ = Transport::Wait::kNone;
  MonotonicTime stall_deadline_ = kNever;
};

}  // namespace allot::http
