#pragma once
// gRPC's encoding on HTTP/2: status codes, messages and timeouts in headers, the frame around a message.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::node::rpc {

// gRPC's status codes that we send.
enum class GrpcCode {
  kOk = 0,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kResourceExhausted = 8,
  kAborted = 10,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
};

// How a call ended.
struct Outcome {
  GrpcCode code = GrpcCode::kOk;
  std::string message;
};

// kInvalid: INVALID_ARGUMENT, kNotFound: NOT_FOUND, kUnsupported: UNIMPLEMENTED, kExhausted: RESOURCE_EXHAUSTED,
// kUnavailable: UNAVAILABLE, kConflict: ABORTED.
Outcome OutcomeOf(const Status& status);

// Returns `text` for the header grpc-message: percent-encoded, and cut after 4 KiB, because callers limit the size of headers.
std::string EncodeMessageHeader(std::string_view text);

// Reads a grpc-timeout: "1500m" is 1.5 s. Nothing: the text has another form. A timeout that the clock cannot represent becomes a year.
std::optional<std::chrono::nanoseconds> ParseTimeout(std::string_view text);

// Returns the five bytes in front of an uncompressed message of that length. REQUIRES length < 4 GiB.
std::string FramePrefix(size_t length);

// Reads the one message of a request from bytes that arrive in any pieces.
class FrameReader {
 public:
  explicit FrameReader(size_t max_message) : max_message_(max_message) {}

  // After an error, which ends the call, feed no more. A message beyond the limit is refused as soon as its prefix has arrived.
  Outcome Feed(std::string_view bytes);
  // An error means that the bytes ended too early.
  Outcome End() const;

  size_t size() const { return bytes_.size(); }
  // REQUIRES that End is ok.
  std::string TakeMessage();

 private:
  size_t max_message_;
  std::string bytes_;                // of the message, after the prefix
  std::string prefix_;               // the bytes of the prefix so far
  std::optional<size_t> announced_;  // the message's length
};

}  // namespace allot::node::rpc
