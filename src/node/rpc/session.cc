#include "node/rpc/session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace allot::node::rpc {
namespace {

// Frames that wait for the peer to read. With more than this the session stops reading, since most frames answer something that the peer
// sent.
constexpr size_t kMaxQueuedFrames = 1000;

std::string_view View(const uint8_t* bytes, size_t length) { return {reinterpret_cast<const char*>(bytes), length}; }

nghttp2_nv Field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) { return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// The trailers that end a call.
struct EndFields {
  explicit EndFields(const Outcome& outcome)
      : code(StrCat(static_cast<int>(outcome.code))), message(EncodeMessageHeader(outcome.message)) {}
  void AppendTo(std::vector<nghttp2_nv>& fields) const {
    fields.push_back(Field("grpc-status", code));
    if (!message.empty()) fields.push_back(Field("grpc-message", message));
  }
  const std::string code, message;
};

bool IsGrpc(std::string_view content_type) {
  constexpr std::string_view kGrpc = "application/grpc";
  if (!content_type.starts_with(kGrpc)) return false;
  return content_type.size() == kGrpc.size() || content_type[kGrpc.size()] == '+' || content_type[kGrpc.size()] == ';';
}

}  // namespace

// The callbacks of nghttp2.
struct SessionCallbacks {
  static Session& Of(void* user) { return *static_cast<Session*>(user); }
  static Session::StreamState* Find(void* user, int32_t id) {
    const auto found = Of(user).calls_.find(id);
    return found == Of(user).calls_.end() ? nullptr : &found->second;
  }

  static int BeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
      Of(user).calls_.try_emplace(frame->hd.stream_id, Of(user).limits_.max_message);
    }
    return 0;
  }

  static int Header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_length, const uint8_t* value,
                    size_t value_length, uint8_t, void* user) {
    auto* const stream = Find(user, frame->hd.stream_id);
    if (stream == nullptr) return 0;
    stream->header_bytes += name_length + value_length + 32;  // as SETTINGS_MAX_HEADER_LIST_SIZE counts them
    if (stream->header_bytes > Of(user).limits_.max_headers) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
    Of(user).OnHeader(*stream, View(name, name_length), View(value, value_length));
    return 0;
  }

  static int FrameReceived(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    auto* const stream = Find(user, frame->hd.stream_id);
    if (stream == nullptr || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) Of(user).OnHeaders(frame->hd.stream_id, *stream);
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) Of(user).OnRequestEnd(frame->hd.stream_id, *stream);
    return 0;
  }

  static int Data(nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t length, void* user) {
    if (auto* const stream = Find(user, id)) Of(user).OnData(id, *stream, View(bytes, length));
    return 0;
  }

  static int FrameSent(nghttp2_session* session, const nghttp2_frame* frame, void*) {
    // The response is complete before its request, so the peer may stop sending.
    if (frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
        nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  static int StreamClosed(nghttp2_session*, int32_t id, uint32_t, void* user) {
    Of(user).OnClosed(id);
    return 0;
  }

  // Returns the next bytes of a response's body.
  static ssize_t ReadBody(nghttp2_session* session, int32_t id, uint8_t* into, size_t room, uint32_t* flags, nghttp2_data_source*,
                          void* user) {
    auto* const stream = Find(user, id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    Of(user).Refill(*stream);
    const size_t count = std::min(room, stream->out.size() - stream->out_sent);
    std::memcpy(into, stream->out.data() + stream->out_sent, count);
    stream->out_sent += count;
    if (stream->out_sent < stream->out.size()) return static_cast<ssize_t>(count);
    if (!stream->end) return count > 0 ? static_cast<ssize_t>(count) : ssize_t{NGHTTP2_ERR_DEFERRED};

    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    const EndFields end(*stream->end);
    std::vector<nghttp2_nv> fields;
    end.AppendTo(fields);
    if (nghttp2_submit_trailer(session, id, fields.data(), fields.size()) != 0) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    return static_cast<ssize_t>(count);
  }
};

Session::Session(const Services& services, const SessionLimits& limits, std::optional<http::PeerCredentials> peer,
                 std::shared_ptr<Mailbox> mailbox)
    : services_(services), limits_(limits), peer_(peer), mailbox_(std::move(mailbox)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  CHECK(nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, SessionCallbacks::BeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, SessionCallbacks::Header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, SessionCallbacks::FrameReceived);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, SessionCallbacks::Data);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, SessionCallbacks::FrameSent);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, SessionCallbacks::StreamClosed);
  nghttp2_option_set_no_closed_streams(option, 1);  // nghttp2 would keep them for priorities, which we do not use
  nghttp2_option_set_stream_reset_rate_limit(option, limits.resets, limits.resets_per_second);
  CHECK(nghttp2_session_server_new2(&session_, callbacks, this, option) == 0);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);

  const std::array<nghttp2_settings_entry, 2> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.max_streams},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits.max_headers)},
  }};
  CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0);
}

void Session::Close() {
  for (auto& [id, stream] : calls_) {
    if (stream.exchange != nullptr) stream.exchange->Abort();
  }
  calls_.clear();
  nghttp2_session_del(std::exchange(session_, nullptr));
}

bool Session::Receive(std::string_view bytes, std::vector<std::shared_ptr<Exchange>>& started) {
  started_ = &started;
  const ssize_t used = nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  started_ = nullptr;
  return used >= 0;
}

std::string_view Session::NextOutput() {
  const uint8_t* bytes = nullptr;
  const ssize_t length = nghttp2_session_mem_send(session_, &bytes);
  if (length < 0) failed_ = true;  // out of memory, or the peer floods the session
  return length > 0 ? View(bytes, static_cast<size_t>(length)) : std::string_view();
}

void Session::OnHeader(StreamState& stream, std::string_view name, std::string_view value) {
  if (name == ":path") stream.path = value;
  if (name == ":method") stream.method = value;
  if (name == "content-type") stream.content_type = value;
  if (name == "grpc-timeout") stream.timeout = value;
}

void Session::OnHeaders(int32_t id, StreamState& stream) {
  if (stream.method != "POST") return Refuse(id, stream, {GrpcCode::kInternal, "gRPC calls are POST requests"}, "405");
  if (!IsGrpc(stream.content_type)) return Refuse(id, stream, {GrpcCode::kInternal, "the content type is not application/grpc"}, "415");
  if (services_.Find(stream.path) == nullptr) {
    return Refuse(id, stream, {GrpcCode::kUnimplemented, StrCat("this server has no method ", Quoted(stream.path))});
  }
  if (stream.timeout.empty()) return;
  const auto timeout = ParseTimeout(stream.timeout);
  if (!timeout) return Refuse(id, stream, {GrpcCode::kInternal, StrCat("grpc-timeout ", Quoted(stream.timeout), " is no timeout")});
  stream.deadline = SystemClock().MonotonicNow() + *timeout;
}

void Session::OnData(int32_t id, StreamState& stream, std::string_view bytes) {
  if (stream.responded) return;  // refused; the rest of the request is thrown away
  const Outcome fed = stream.request.Feed(bytes);
  if (fed.code != GrpcCode::kOk) return Refuse(id, stream, fed);
  requests_ += stream.request.size() - std::exchange(stream.counted, stream.request.size());
  if (requests_ > limits_.max_requests) {
    Refuse(id, stream,
           {GrpcCode::kResourceExhausted, StrCat("this connection has more than ", limits_.max_requests, " bytes of requests")});
  }
}

void Session::OnRequestEnd(int32_t id, StreamState& stream) {
  if (stream.responded) return;
  if (const Outcome end = stream.request.End(); end.code != GrpcCode::kOk) return Refuse(id, stream, end);
  stream.exchange = std::make_shared<Exchange>(ExchangeRequest{.method = services_.Find(stream.path),
                                                               .path = std::move(stream.path),
                                                               .message = stream.request.TakeMessage(),
                                                               .deadline = stream.deadline,
                                                               .peer = peer_},
                                               mailbox_);
  stream.exchange->session = this;
  stream.exchange->stream = id;
  started_->push_back(stream.exchange);
}

void Session::OnClosed(int32_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  requests_ -= found->second.counted;
  if (found->second.exchange != nullptr) found->second.exchange->Abort();
  calls_.erase(found);
}

// Sends a response without a body.
void Session::Refuse(int32_t id, StreamState& stream, const Outcome& outcome, std::string_view http_status) {
  if (std::exchange(stream.responded, true)) return;
  requests_ -= std::exchange(stream.counted, 0);
  stream.request = FrameReader(limits_.max_message);
  const EndFields end(outcome);
  std::vector<nghttp2_nv> fields = {Field(":status", http_status), Field("content-type", "application/grpc"),
                                    Field("grpc-accept-encoding", "identity")};
  end.AppendTo(fields);
  nghttp2_submit_response(session_, id, fields.data(), fields.size(), nullptr);
}

void Session::OnPosted(Exchange& exchange) {
  const auto found = calls_.find(exchange.stream);
  CHECK(found != calls_.end());
  StreamState& stream = found->second;
  if (stream.responded) {
    nghttp2_session_resume_data(session_, exchange.stream);  // fails if the body does not wait, which is fine
    return;
  }
  Refill(stream);
  if (stream.out.empty() && !stream.end) return;
  if (stream.out.empty() && stream.end->code != GrpcCode::kOk) return Refuse(exchange.stream, stream, *stream.end);
  Respond(exchange.stream, stream);
}

void Session::Respond(int32_t id, StreamState& stream) {
  stream.responded = true;
  const std::array<nghttp2_nv, 2> fields = {Field(":status", "200"), Field("content-type", "application/grpc")};
  const nghttp2_data_provider body = {.source = {.ptr = nullptr}, .read_callback = SessionCallbacks::ReadBody};
  nghttp2_submit_response(session_, id, fields.data(), fields.size(), &body);
}

// Takes the next message from the exchange once the last one is sent. Until then a newer message can replace it in the exchange.
void Session::Refill(StreamState& stream) {
  if (stream.out_sent < stream.out.size() || stream.end || stream.exchange == nullptr) return;
  auto news = stream.exchange->Take();
  stream.out_sent = 0;
  stream.out.clear();
  if (news.message) {
    stream.out = FramePrefix(news.message->size());
    stream.out += *news.message;
  }
  stream.end = std::move(news.end);
}

void Session::Drain() {
  if (std::exchange(draining_, true)) return;
  // Calls with a higher number were not begun, so callers can repeat them elsewhere.
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR, nullptr, 0);
  for (auto& [id, stream] : calls_) {
    if (stream.exchange != nullptr && stream.exchange->kind() == Method::Kind::kStream) {
      stream.exchange->End({GrpcCode::kUnavailable, "the server shuts down"});
    }
  }
}

bool Session::wants_input() const {
  return nghttp2_session_want_read(session_) != 0 && nghttp2_session_get_outbound_queue_size(session_) < kMaxQueuedFrames;
}

bool Session::done() const { return failed_ || (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0); }

}  // namespace allot::node::rpc
