#pragma once
// A gRPC client for tests, which can also break the protocol. Included by tests only.
//
// Every wait has a deadline; the return value says whether it was met. Not thread-safe.

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "http/dial.h"
#include "node/rpc/wire.h"

namespace allot::node::rpc::test {

inline constexpr std::chrono::seconds kPatience(30);

inline std::string Framed(std::string_view message) { return FramePrefix(message.size()).append(message); }

// The outcome of one call.
struct Reply {
  std::map<std::string, std::string> headers;  // and trailers
  std::string body;
  bool closed = false;
  uint32_t error = 0;  // HTTP/2's code of a call that was reset

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
  int code() const { return headers.contains("grpc-status") ? std::stoi(header("grpc-status")) : -1; }
  std::string text() const { return header("grpc-message"); }
  // Returns the complete messages.
  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (size_t at = 0; at + 5 <= body.size();) {
      size_t length = 0;
      for (size_t i = 1; i < 5; ++i) length = length << 8 | static_cast<unsigned char>(body[at + i]);
      if (at + 5 + length > body.size()) break;
      all.push_back(body.substr(at + 5, length));
      at += 5 + length;
    }
    return all;
  }
};

struct CallSpec {
  std::string path;
  std::string body;  // with the frame: Framed
  std::string method = "POST";
  std::string authority = "localhost";
  std::string content_type = "application/grpc";
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool end = true;  // ends the request after the body
};

class Client {
 public:
  // Without `reads`, the client never tells the server that there is room for more than the first 64 KiB.
  explicit Client(const std::string& path, bool reads = true) : Client(http::Address{.host = {}, .port = 0, .unix_path = path}, reads) {}
  explicit Client(const http::Address& address, bool reads = true) {
    auto socket = http::Dial(address, Soon());
    CHECK(socket.ok());
    transport_ = http::PlainTransport(*std::move(socket));
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    CHECK(nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_option_set_no_auto_window_update(option, reads ? 0 : 1);
    CHECK(nghttp2_session_client_new2(&session_, callbacks, this, option) == 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0) == 0);
  }
  ~Client() { nghttp2_session_del(session_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Returns the call's number.
  int32_t Start(const CallSpec& spec) {
    std::vector<nghttp2_nv> fields = {Field(":method", spec.method),
                                      Field(":scheme", "http"),
                                      Field(":path", spec.path),
                                      Field(":authority", spec.authority),
                                      Field("content-type", spec.content_type),
                                      Field("te", "trailers")};
    for (const auto& [name, value] : spec.headers) fields.push_back(Field(name, value));
    auto body = std::make_unique<Body>(Body{.bytes = spec.body, .end = spec.end});
    nghttp2_data_provider provider = {.source = {.ptr = body.get()}, .read_callback = ReadBody};
    const int32_t id = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(), &provider, nullptr);
    CHECK(id > 0);
    bodies_[id] = std::move(body);
    replies_[id];
    Send();
    return id;
  }
  int32_t Start(const std::string& path, std::string_view message) { return Start({.path = path, .body = Framed(message)}); }

  void Reset(int32_t id) {
    CHECK(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL) == 0);
    Send();
  }
  // Tells the server that the client has room for `bytes` more.
  void Read(int32_t id, size_t bytes) {
    CHECK(nghttp2_session_consume(session_, id, bytes) == 0);
    Send();
  }

  const Reply& reply(int32_t id) { return replies_[id]; }
  // Returns the reply when it is complete, the connection has ended or the deadline has passed.
  const Reply& Await(int32_t id) {
    Until([&] { return replies_[id].closed; });
    return replies_[id];
  }
  const Reply& Do(const CallSpec& spec) { return Await(Start(spec)); }
  const Reply& Do(const std::string& path, std::string_view message) { return Await(Start(path, message)); }

  // Moves bytes until `condition` is true. False: the connection ended, or the deadline has passed.
  bool Until(const std::function<bool()>& condition) {
    const Patience patience = Soon();
    while (!condition()) {
      char buffer[16 << 10];
      const auto count = http::ReadSome(*transport_, buffer, patience);
      if (!count.ok() || *count == 0) {
        ended_ = count.ok() || http::Check(patience).ok();
        return condition();
      }
      CHECK(nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(buffer), *count) >= 0);
      Send();
    }
    return true;
  }
  // Whether the server closes the connection.
  bool AwaitEnd() {
    Until([] { return false; });
    return ended_;
  }
  bool told_to_go() const { return goaway_; }

 private:
  struct Body {
    std::string bytes;
    size_t sent = 0;
    bool end = true;
  };

  static Patience Soon() { return {.deadline = SystemClock().MonotonicNow() + kPatience, .cancel = nullptr}; }
  static Client& Of(void* user) { return *static_cast<Client*>(user); }
  static nghttp2_nv Field(std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) { return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_length, const uint8_t* value,
                      size_t value_length, uint8_t, void* user) {
    Of(user).replies_[frame->hd.stream_id].headers[std::string(reinterpret_cast<const char*>(name), name_length)] =
        std::string(reinterpret_cast<const char*>(value), value_length);
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t length, void* user) {
    Of(user).replies_[id].body.append(reinterpret_cast<const char*>(bytes), length);
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t id, uint32_t error, void* user) {
    Of(user).replies_[id].closed = true;
    Of(user).replies_[id].error = error;
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_GOAWAY) Of(user).goaway_ = true;
    return 0;
  }
  static ssize_t ReadBody(nghttp2_session*, int32_t, uint8_t* into, size_t room, uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& body = *static_cast<Body*>(source->ptr);
    const size_t count = std::min(room, body.bytes.size() - body.sent);
    std::memcpy(into, body.bytes.data() + body.sent, count);
    body.sent += count;
    if (body.sent == body.bytes.size() && !body.end) return count > 0 ? static_cast<ssize_t>(count) : ssize_t{NGHTTP2_ERR_DEFERRED};
    if (body.sent == body.bytes.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  void Send() {
    const uint8_t* bytes = nullptr;
    for (;;) {
      const ssize_t length = nghttp2_session_mem_send(session_, &bytes);
      if (length <= 0) return;
      // Reading reports the error.
      (void)http::WriteAll(*transport_, {reinterpret_cast<const char*>(bytes), static_cast<size_t>(length)}, Soon()).ok();
    }
  }

  std::unique_ptr<http::Transport> transport_;
  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Reply> replies_;
  std::map<int32_t, std::unique_ptr<Body>> bodies_;
  bool goaway_ = false, ended_ = false;
};

}  // namespace allot::node::rpc::test
