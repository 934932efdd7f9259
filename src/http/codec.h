#pragma once
// Encodes and decodes HTTP/1.1 messages. No I/O: the caller passes in bytes as they arrive.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/message.h"

namespace allot::http {

// A message without its body. A request has method and target; a response has status.
struct Head {
  std::string method, target;
  int status = 0;
  int minor = 1;  // HTTP/1.minor
  Headers headers;
  bool keep_alive = true;  // whether the peer accepts another message on this connection

  // The Content-Length; nullopt if the body is chunked or ends with the connection.
  std::optional<uint64_t> content_length;
};

struct ParserLimits {
  size_t head = 64 << 10;             // bytes of the first line and all headers
  uint64_t body = uint64_t{1} << 40;  // bytes
};

// Parses one message.
class Parser {
 public:
  enum class Kind { kRequest, kResponse };

  explicit Parser(Kind kind, ParserLimits limits = {});
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // Declares that the message has no body whatever its headers say, as in a response to HEAD. Call before Feed.
  void NoBody();

  // Consumes bytes and returns how many belonged to this message; the rest belongs to the next one. Appends body bytes to `body` and drops
  // trailers. Returns kInvalid for bytes that are not HTTP, and kExhausted beyond a limit: the body's if head_done(), else the head's.
  Result<size_t> Feed(std::string_view bytes, std::string& body);
  // Tells the parser that the peer sends no more. Returns kUnavailable if the message is incomplete.
  Status FeedEnd();

  bool head_done() const;
  bool done() const;
  bool started() const;  // at least one byte was fed
  // REQUIRES: head_done().
  const Head& head() const;

 private:
  std::unique_ptr<class Message> impl_;
};

// Writes the first line, the headers and the empty line. REQUIRES: CheckHead is ok, so no name or value has a line break.
std::string WriteRequestHead(std::string_view method, std::string_view target, const Headers& headers);
std::string WriteResponseHead(int status, const Headers& headers);
// Returns kInvalid for anything that would break the framing: a line break in a value, a space in the target, a name that is not a token.
Status CheckHead(std::string_view method, std::string_view target, const Headers& headers);

// Writes one piece of a chunked body. REQUIRES: not empty.
std::string WriteChunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace allot::http
