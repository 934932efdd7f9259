#include "http/codec.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdio>

#include "base/check.h"

namespace allot::http {

namespace beast = boost::beast;

// Common interface of Beast's separate request and response parsers.
class Message {
 public:
  virtual ~Message() = default;
  virtual void NoBody() = 0;
  virtual Result<size_t> Feed(std::string_view bytes, std::string& body) = 0;
  virtual Status FeedEnd() = 0;

  Head head;
  bool head_done = false, done = false, started = false;
};

namespace {

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

Status StatusOf(const beast::error_code& error, const ParserLimits& limits) {
  namespace http = beast::http;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return Exhausted("the headers are longer than ", limits.head, " bytes");
  }
  if (error == http::error::body_limit) return Exhausted("the body is longer than ", limits.body, " bytes");
  if (error == http::error::partial_message || error == http::error::end_of_stream)
    return Unavailable("the connection ended in the message");
  return Invalid("not HTTP/1.1: ", error.message());
}

bool IsToken(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kOthers.find(c) != std::string_view::npos;
  });
}

template <bool kIsRequest>
class BeastParser final : public Message, private beast::http::basic_parser<kIsRequest> {
  using Base = beast::http::basic_parser<kIsRequest>;

 public:
  explicit BeastParser(ParserLimits limits) : limits_(limits) {
    // One element (head, chunk header, piece of body) per put(), so each can be measured.
    this->eager(false);
    this->header_limit(static_cast<std::uint32_t>(limits.head + 1));  // FeedHead enforces the exact limit
    this->body_limit(limits.body);
  }

  void NoBody() override { this->skip(true); }

  Result<size_t> Feed(std::string_view bytes, std::string& body) override {
    if (this->is_done() || bytes.empty()) return 0;
    // Reject TLS and noise at the first byte instead of after a whole line.
    if (!started && !(kIsRequest ? IsToken(bytes.substr(0, 1)) : bytes[0] == 'H')) return Invalid("not HTTP/1.1: bad first byte");
    started = true;
    body_ = &body;
    // Beast needs each element except the body in one piece, so incomplete bytes are kept and prepended to the next ones.
    const size_t before = pending_.size();
    if (before > 0) pending_.append(bytes);
    const std::string_view all = before > 0 ? std::string_view(pending_) : bytes;
    size_t used = 0;
    while (used < all.size() && !this->is_done()) {
      auto step = this->is_header_done() ? FeedBody(all.substr(used)) : FeedHead(all.substr(used));
      if (!step.ok()) {
        head_done |= this->is_header_done();
        return std::move(step).status();
      }
      if (*step == 0) break;
      used += *step;
    }
    Note();
    const size_t taken = this->is_done() ? used - before : bytes.size();
    if (this->is_done()) {
      pending_ = std::string();
    } else if (before > 0) {
      pending_.erase(0, used);
    } else {
      pending_ = std::string(all.substr(used));
    }
    return taken;
  }

  Status FeedEnd() override {
    if (!started) return Unavailable("the connection ended before the message");
    if (!this->is_header_done()) return Unavailable("the connection ended in the message");
    beast::error_code error;
    this->put_eof(error);
    if (error) return StatusOf(error, limits_);
    Note();
    return Status();
  }

 private:
  // Returns the length of the next element, or 0 if it is incomplete. Beast gets the first line alone and then all headers at once, so the
  // result does not depend on how the bytes were split.
  Result<size_t> FeedHead(std::string_view bytes) {
    const bool line = head_bytes_ == 0;
    const bool no_fields = !line && bytes.starts_with("\r\n");
    const std::string_view mark = line ? "\n" : no_fields ? "\r\n" : "\r\n\r\n";
    const size_t end = bytes.find(mark, no_fields ? 0 : scanned_);
    const size_t size = end == std::string_view::npos ? bytes.size() + 1 : end + mark.size();
    if (head_bytes_ + size > limits_.head) return Exhausted("the headers are longer than ", limits_.head, " bytes");
    if (end == std::string_view::npos) {
      scanned_ = bytes.size() - std::min(bytes.size(), mark.size() - 1);
      return 0;
    }
    scanned_ = 0;
    head_bytes_ += size;
    beast::error_code error;
    const size_t used = this->put(boost::asio::const_buffer(bytes.data(), size), error);
    if (line && error == beast::http::error::need_more && used == size) return size;
    if (error == beast::http::error::body_limit) head_done = true;
    if (error) return StatusOf(error, limits_);
    return used;
  }

  Result<size_t> FeedBody(std::string_view bytes) {
    std::string_view element = bytes;
    if (this->chunked() && chunk_left_ == 0) {
      const size_t size = ChunkHeader(bytes);
      if ((size == 0 ? bytes.size() + 1 : size) > limits_.head) {
        return Exhausted("a chunk's header is longer than ", limits_.head, " bytes");
      }
      if (size == 0) return 0;
      element = bytes.substr(0, size);
      first_chunk_ = false;
    }
    beast::error_code error;
    const size_t used = this->put(boost::asio::const_buffer(element.data(), element.size()), error);
    if (error) return StatusOf(error, limits_);
    return used;
  }

  // Returns the length of the next chunk header, including the line break before it and, for the last chunk, the trailers. Returns 0 if it
  // is incomplete. Beast must see each chunk header once and whole: Beast 1.74 counts a chunk twice against the body limit when it parses
  // its header again.
  size_t ChunkHeader(std::string_view bytes) const {
    const size_t start = first_chunk_ ? 0 : 2;
    const size_t end = bytes.find("\r\n", start);
    if (end == std::string_view::npos) return 0;
    const std::string_view line = bytes.substr(start, end - start);
    const std::string_view digits = line.substr(0, line.find_first_not_of("0123456789abcdefABCDEF"));
    if (digits.empty() || digits.find_first_not_of('0') != std::string_view::npos) return end + 2;
    const size_t last = bytes.find("\r\n\r\n", end);
    return last == std::string_view::npos ? 0 : last + 4;
  }

  void Note() {
    head_done = this->is_header_done();
    if (head_done) head.keep_alive = this->keep_alive();
    if (head_done && this->content_length()) head.content_length = *this->content_length();
    done = this->is_done();
  }

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int version, beast::error_code&) override {
    head.minor = version % 10;
    head.method = View(method);
    head.target = View(target);
  }
  void on_response_impl(int code, beast::string_view, int version, beast::error_code&) override {
    head.minor = version % 10;
    head.status = code;
  }
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value, beast::error_code&) override {
    // Drop trailers: the head has already been judged without them.
    if (!this->is_header_done()) head.headers.Add(View(name), View(value));
  }
  void on_header_impl(beast::error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  std::size_t on_body_impl(beast::string_view bytes, beast::error_code&) override {
    body_->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t size, beast::string_view, beast::error_code&) override { chunk_left_ = size; }
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, beast::error_code&) override {
    chunk_left_ -= bytes.size();
    body_->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(beast::error_code&) override {}

  const ParserLimits limits_;
  std::string* body_ = nullptr;
  std::string pending_;    // bytes of an incomplete element
  size_t scanned_ = 0;     // bytes of pending_ already searched for its end
  size_t head_bytes_ = 0;  // bytes given to Beast
  bool first_chunk_ = true;
  uint64_t chunk_left_ = 0;  // bytes left of the current chunk
};

void AppendHeaders(std::string& text, const Headers& headers) {
  for (const Headers::Field& field : headers) text += StrCat(field.name, ": ", field.value, "\r\n");
  text += "\r\n";
}

}  // namespace

Parser::Parser(Kind kind, ParserLimits limits) {
  if (kind == Kind::kRequest) {
    impl_ = std::make_unique<BeastParser<true>>(limits);
  } else {
    impl_ = std::make_unique<BeastParser<false>>(limits);
  }
}

Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

void Parser::NoBody() { impl_->NoBody(); }
Result<size_t> Parser::Feed(std::string_view bytes, std::string& body) { return impl_->Feed(bytes, body); }
Status Parser::FeedEnd() { return impl_->FeedEnd(); }
bool Parser::head_done() const { return impl_->head_done; }
bool Parser::done() const { return impl_->done; }
bool Parser::started() const { return impl_->started; }

const Head& Parser::head() const {
  CHECK(impl_->head_done);
  return impl_->head;
}

Status CheckHead(std::string_view method, std::string_view target, const Headers& headers) {
  if (!IsToken(method)) return Invalid("method ", Quoted(method), " is not an HTTP method");
  const auto bad = [](unsigned char c) { return c <= ' ' || c == 0x7F; };
  if (target.empty() || std::any_of(target.begin(), target.end(), bad)) return Invalid("target ", Quoted(target), " must be escaped");
  for (const Headers::Field& field : headers) {
    if (!IsToken(field.name)) return Invalid("header name ", Quoted(field.name), " is not a token");
    // Do not show the value: it may be a secret.
    const auto breaks = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7F; };
    if (std::any_of(field.value.begin(), field.value.end(), breaks)) return Invalid("header ", field.name, " has a control character");
  }
  return Status();
}

std::string WriteRequestHead(std::string_view method, std::string_view target, const Headers& headers) {
  std::string text = StrCat(method, " ", target, " HTTP/1.1\r\n");
  AppendHeaders(text, headers);
  return text;
}

std::string WriteResponseHead(int status, const Headers& headers) {
  std::string text = StrCat("HTTP/1.1 ", status, " ", ReasonPhrase(status), "\r\n");
  AppendHeaders(text, headers);
  return text;
}

std::string WriteChunk(std::string_view bytes) {
  CHECK(!bytes.empty());
  char size[24];
  const int length = std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  std::string text;
  text.reserve(bytes.size() + 24);
  text.append(size, static_cast<size_t>(length)).append(bytes).append("\r\n");
  return text;
}

}  // namespace allot::http
