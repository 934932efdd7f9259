#pragma once
// One HTTP/2 connection that carries gRPC, as bytes in and bytes out, without sockets. Internal to the server.
//
// Promises:
//   1. each complete call of a peer becomes one exchange, and each stream gets at most one response;
//   2. whatever the peer sends, the session holds at most `max_requests` bytes of requests, `max_streams` calls, and a bounded queue of
//      answers (wants_input is false while it is full);
//   3. exchanges are aborted when the session ends, and when the peer resets their call.
// Used by the loop's thread alone.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/rpc/exchange.h"
#include "node/rpc/service.h"
#include "node/rpc/wire.h"

struct nghttp2_session;

namespace allot::node::rpc {

struct SessionLimits {
  size_t max_message = 4 << 20;    // bytes of a request's message; beyond: RESOURCE_EXHAUSTED
  size_t max_requests = 16 << 20;  // bytes of all requests that are not answered yet; beyond: RESOURCE_EXHAUSTED
  uint32_t max_streams = 256;      // calls at once; beyond: refused, after which callers wait and try again
  size_t max_headers = 16 << 10;   // bytes of a request's headers; beyond: the call is reset
  // The connection is closed if the peer resets more calls than this at once, and after that more than this many each second.
  uint64_t resets = 200, resets_per_second = 20;
};

class Session {
 public:
  // The services and the limits must outlive it.
  Session(const Services& services, const SessionLimits& limits, std::optional<http::PeerCredentials> peer,
          std::shared_ptr<Mailbox> mailbox);
  ~Session() { Close(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Appends complete calls to `started`; the caller must Run them. False: the bytes are not valid HTTP/2, and nothing more can be sent to
  // this peer.
  bool Receive(std::string_view bytes, std::vector<std::shared_ptr<Exchange>>& started);
  // Returns the bytes to send next. Empty: nothing for now. Valid until the next call. Call it only when all bytes of earlier calls are
  // sent.
  std::string_view NextOutput();
  // An exchange of this session was posted to the mailbox.
  void OnPosted(Exchange& exchange);
  // Aborts all exchanges because the peer is gone. After it only the destructor may be called.
  void Close();
  // Accepts no new calls and ends streams. Unary calls go on.
  void Drain();

  bool wants_input() const;
  // Whether there is nothing to send and nothing more to expect.
  bool done() const;
  size_t calls() const { return calls_.size(); }

  class Connection* connection = nullptr;  // for the loop's use

 private:
  friend struct SessionCallbacks;

  // The state of an HTTP/2 stream.
  struct StreamState {
    explicit StreamState(size_t max_message) : request(max_message) {}
    // The request.
    std::string path, method, content_type, timeout;
    size_t header_bytes = 0;
    std::optional<MonotonicTime> deadline;
    FrameReader request;
    size_t counted = 0;                  // its part of requests_
    std::shared_ptr<Exchange> exchange;  // once the request is complete
    // The response.
    bool responded = false;  // its headers were submitted
    std::string out;         // bytes of the body; those before out_sent are sent
    size_t out_sent = 0;
    std::optional<Outcome> end;  // to be sent after `out`
  };

  void OnHeader(StreamState& stream, std::string_view name, std::string_view value);
  void OnHeaders(int32_t id, StreamState& stream);
  void OnData(int32_t id, StreamState& stream, std::string_view bytes);
  void OnRequestEnd(int32_t id, StreamState& stream);
  void OnClosed(int32_t id);

  void Refuse(int32_t id, StreamState& stream, const Outcome& outcome, std::string_view http_status = "200");
  void Respond(int32_t id, StreamState& stream);
  void Refill(StreamState& stream);

  const Services& services_;
  const SessionLimits& limits_;
  const std::optional<http::PeerCredentials> peer_;
  const std::shared_ptr<Mailbox> mailbox_;
  nghttp2_session* session_ = nullptr;
  std::map<int32_t, StreamState> calls_;
  size_t requests_ = 0;                                        // bytes
  std::vector<std::shared_ptr<Exchange>>* started_ = nullptr;  // set during Receive
  bool draining_ = false, failed_ = false;
};

}  // namespace allot::node::rpc
