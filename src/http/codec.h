#pragma once
// HTTP/1.1 messages to bytes and back. No I/O: bytes are handed in as they come.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/message.h"

namespace allot::http {

// All of a message but its body. Of a request: method and target; of a response: status.
struct Head {
  std::string method, target;
  int status = 0;
  int minor = 1;  // HTTP/1.minor
  Headers headers;
  bool keep_alive = true;  // whether the peer will take another message on this connection

  // The length that the header announces; nothing where the body is chunked or ends with the connection.
  std::optional<uint64_t> content_length;
};

struct ParserLimits {
  size_t head = 64 << 10;             // bytes of the first line and all headers
  uint64_t body = uint64_t{1} << 40;  // bytes
};

// Reads one message.
class Parser {
 public:
  enum class Kind { kRequest, kResponse };

  explicit Parser(Kind kind, ParserLimits limits = {});
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // For a response to HEAD: it has no body whatever its headers say. Before any byte.
  void NoBody();

  // Takes bytes and returns how many belonged to this message; the rest is for the next one. What the body has in them is appended to
  // `body`. kInvalid for bytes that are not HTTP, kExhausted beyond a limit: the body's where head_done(), else the head's.
  // Trailers are dropped.
  Result<size_t> Feed(std::string_view bytes, std::string& body);
  // The peer sends no more. kUnavailable when the message is not complete.
  Status FeedEnd();

  bool head_done() const;
  bool done() const;
  bool started() const;  // some byte was fed
  // REQUIRES head_done().
  const Head& head() const;

 private:
  std::unique_ptr<class Message> impl_;
};

// The first line and headers, with the empty line. REQUIRES that names and values hold no line break: CheckHead says so.
std::string WriteRequestHead(std::string_view method, std::string_view target, const Headers& headers);
std::string WriteResponseHead(int status, const Headers& headers);
// kInvalid for what would break the framing: line breaks in a value, a space in the target, a name that is no token.
Status CheckHead(std::string_view method, std::string_view target, const Headers& headers);

// One piece of a chunked body. REQUIRES not empty.
std::string WriteChunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace allot::http
