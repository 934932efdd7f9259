#pragma once
// One connection of the server: reads requests, sends responses, enforces timeouts. Internal to the server.
//
// Used only by the loop's thread. It does not know epoll: interest() and deadline() say what it waits for, and the loop calls On...() when
// that may have happened.

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

// State shared by the connections of a loop.
struct ConnectionHost {
  const ServerOptions& options;
  Workers& workers;
  const std::shared_ptr<Mailbox>& mailbox;
  std::atomic<uint64_t>& served;
  std::span<char> read_buffer;   // at least a TLS record (16 KiB), so that a Read leaves nothing behind
  std::span<char> write_buffer;  // joins small pieces
  MonotonicTime now;
};

class Connection {
 public:
  static constexpr MonotonicTime kNever = MonotonicTime::max();

  Connection(std::unique_ptr<Transport> transport, std::string peer, std::optional<PeerCredentials> credentials, ConnectionHost& host);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Each returns false if the connection has ended.
  bool OnReady(bool hung_up);  // the socket may be ready
  bool OnPosted();             // the response has news
  bool OnDeadline();           // deadline() has passed
  bool OnDrain();              // the server drains

  // Tells the response's writer that the client is gone. May be called twice.
  void Close();

  struct Interest {
    bool read = false, write = false;
    bool operator==(const Interest&) const = default;
  };
  Interest interest() const;
  MonotonicTime deadline() const;
  int fd() const { return transport_->fd(); }

  // For the loop's own use.
  size_t index = 0;
  std::optional<uid_t> counted_for;
  Interest watched;
  MonotonicTime armed = kNever;
  bool dropped = false;

 private:
  enum class Phase {
    kReading,   // reading a request, or waiting for one
    kHandling,  // the response is being made or sent
    kLinger,    // everything is sent; further input is discarded, because unread bytes would make the kernel reset the connection
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
  const std::shared_ptr<Transport> transport_;  // shared with the exchange, whose writer may send a short response itself
  const std::string peer_;
  const std::optional<PeerCredentials> credentials_;
  Phase phase_ = Phase::kReading;
  MonotonicTime read_deadline_;  // for kReading and kLinger

  // Input.
  std::optional<Parser> parser_;  // set while a request is being read
  std::string body_;
  std::string input_;  // bytes of requests that follow the current one
  bool head_seen_ = false;
  bool input_ended_ = false;
  Transport::Wait read_wait_ = Transport::Wait::kRead;

  // The response.
  std::shared_ptr<Exchange> exchange_;  // nullptr: the server's own response
  bool complete_ = false, cut_ = false, close_ = false, linger_ = false;

  // Output.
  std::vector<Piece> out_;  // pending from front_ on; front_sent_ bytes of the front piece are sent
  size_t front_ = 0, front_sent_ = 0, out_bytes_ = 0;
  Transport::Wait write_wait_ = Transport::Wait::kNone;
  MonotonicTime stall_deadline_ = kNever;
};

}  // namespace allot::http
