#pragma once
// The words of gRPC on HTTP/2: status codes, the encoding of messages and timeouts in headers, the frame around a message.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::node::rpc {

// gRPC's numbers, those that we send.
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

// `text` as the header grpc-message carries it: percent-encoded, cut where it is longer than 4 KiB, as callers limit their headers.
std::string EncodeMessageHeader(std::string_view text);

// "1500m" is 1.5 s. Nothing for what is no grpc-timeout; one that the clock could not count to is shortened to a year.
std::optional<std::chrono::nanoseconds> ParseTimeout(std::string_view text);

// The five bytes in front of a message of that length, uncompressed. REQUIRES length < 4 GiB.
std::string FramePrefix(size_t length);

// The one message of a request, from bytes that come in any pieces.
class FrameReader {
 public:
  explicit FrameReader(size_t max_message) : max_message_(max_message) {}

  // Not ok: the call ends with that; feed no more. A message beyond the limit is refused by its prefix, before it comes.
  Outcome Feed(std::string_view bytes);
  // Not ok: the bytes ended too early.
  Outcome End() const;

  size_t size() const { return bytes_.size(); }
  // REQUIRES that End is ok.
  std::string TakeMessage();

 private:
  size_t max_message_;
  std::string bytes_;                // of the message, after the prefix
  std::string prefix_;               // what came of it
  std::optional<size_t> announced_;  // the message's length
};

}  // namespace allot::node::rpc
