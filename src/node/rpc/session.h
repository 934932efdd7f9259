#pragma once
// One HTTP/2 connection that carries gRPC, as bytes in and bytes out; knows nothing of sockets. Internal to the server.
//
// Promises:
//   1. each call that a peer completes becomes one exchange, and each stream gets at most one response;
//   2. whatever the peer sends, it holds at most `max_requests` bytes of requests, `max_streams` calls, and a bounded queue of answers
//      (wants_input is false while that is full);
//   3. when it ends, and when the peer resets a call, the exchange hears of it.
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
  uint32_t max_streams = 256;      // calls at once; beyond: refused, which callers take as "wait"
  size_t max_headers = 16 << 10;   // bytes of a request's headers; beyond: the call is reset
  // A peer that resets more calls than this at once, and then this many each second, is cut.
  uint64_t resets = 200, resets_per_second = 20;
};

class Session {
 public:
  // The services and the limits outlive it.
  Session(const Services& services, const SessionLimits& limits, std::optional<http::PeerCredentials> peer,
          std::shared_ptr<Mailbox> mailbox);
  ~Session() { Close(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Calls that are complete are appended to `started`: somebody must Run them. False: this is no HTTP/2, or worse; there is nothing to
  // say to this peer any more.
  bool Receive(std::string_view bytes, std::vector<std::shared_ptr<Exchange>>& started);
  // What is to be sent next; empty: nothing for now. Valid until the next call. Take it only when all that came before is sent.
  std::string_view NextOutput();
  // The exchange, which is one of this session's, was posted.
  void OnPosted(Exchange& exchange);
  // Tells all exchanges that the peer is gone. Only the destructor may follow.
  void Close();
  // Takes no new calls, ends streams; the calls under way go on.
  void Drain();

  bool wants_input() const;
  // Nothing will be sent, and nothing more is expected.
  bool done() const;
  size_t calls() const { return calls_.size(); }

  class Connection* connection = nullptr;  // the loop's note

 private:
  friend struct SessionCallbacks;

  // A stream of HTTP/2 as far as it has come.
  struct StreamState {
    explicit StreamState(size_t max_message) : request(max_message) {}
    // The request.
    std::string path, method, content_type, timeout;
    size_t header_bytes = 0;
    std::optional<MonotonicTime> deadline;
    FrameReader request;
    size_t counted = 0;                  // of requests_
    std::shared_ptr<Exchange> exchange;  // once the request is complete
    // The response.
    bool responded = false;  // its head is on its way
    std::string out;         // from out_sent on
    size_t out_sent = 0;
    std::optional<Outcome> end;  // after `out`
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
  std::vector<std::shared_ptr<Exchange>>* started_ = nullptr;  // while in Receive
  bool draining_ = false, failed_ = false;
};

}  // namespace allot::node::rpc
