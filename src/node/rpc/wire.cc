#include "node/rpc/wire.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace allot::node::rpc {
namespace {

constexpr size_t kPrefix = 5;
constexpr size_t kMaxMessageHeader = 4096;

}  // namespace

Outcome OutcomeOf(const Status& status) {
  const auto code = [&] {
    switch (status.code()) {
      case Code::kOk: return GrpcCode::kOk;
      case Code::kInvalid: return GrpcCode::kInvalidArgument;
      case Code::kNotFound: return GrpcCode::kNotFound;
      case Code::kUnsupported: return GrpcCode::kUnimplemented;
      case Code::kExhausted: return GrpcCode::kResourceExhausted;
      case Code::kUnavailable: return GrpcCode::kUnavailable;
      case Code::kConflict: return GrpcCode::kAborted;
    }
    CHECK(false);
  };
  return {.code = code(), .message = status.message()};
}

std::string EncodeMessageHeader(std::string_view text) {
  if (text.size() > kMaxMessageHeader) {
    size_t end = kMaxMessageHeader;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // do not cut inside a character
    text = text.substr(0, end);
  }
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte <= 0x7e && byte != '%') {
      encoded += c;
    } else {
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

std::optional<std::chrono::nanoseconds> ParseTimeout(std::string_view text) {
  if (text.size() < 2 || text.size() > 9) return std::nullopt;  // at most eight digits
  int64_t amount = 0;
  for (const char c : text.substr(0, text.size() - 1)) {
    if (c < '0' || c > '9') return std::nullopt;
    amount = amount * 10 + (c - '0');
  }
  const auto unit = [&]() -> int64_t {
    switch (text.back()) {
      case 'H': return 3'600'000'000'000;
      case 'M': return 60'000'000'000;
      case 'S': return 1'000'000'000;
      case 'm': return 1'000'000;
      case 'u': return 1'000;
      case 'n': return 1;
      default: return 0;
    }
  }();
  if (unit == 0) return std::nullopt;
  constexpr int64_t kYear = int64_t{365} * 24 * 3'600'000'000'000;
  return std::chrono::nanoseconds(amount > kYear / unit ? kYear : amount * unit);
}

std::string FramePrefix(size_t length) {
  CHECK(length <= UINT32_MAX);
  std::string prefix(kPrefix, '\0');
  for (size_t i = 1; i < kPrefix; ++i) prefix[i] = static_cast<char>(length >> (8 * (kPrefix - 1 - i)));
  return prefix;
}

Outcome FrameReader::Feed(std::string_view bytes) {
  if (!announced_) {
    const size_t used = std::min(bytes.size(), kPrefix - prefix_.size());
    prefix_ += bytes.substr(0, used);
    bytes.remove_prefix(used);
    if (prefix_.size() < kPrefix) return {};
    if (prefix_[0] == 1) return {GrpcCode::kUnimplemented, "the message is compressed; this server takes only identity"};
    if (prefix_[0] != 0) return {GrpcCode::kInternal, "the message has unknown flags"};
    size_t length = 0;
    for (const char c : std::string_view(prefix_).substr(1)) length = length << 8 | static_cast<unsigned char>(c);
    if (length > max_message_) {
      return {GrpcCode::kResourceExhausted, StrCat("the message has ", length, " bytes, this server takes at most ", max_message_)};
    }
    announced_ = length;
  }
  if (bytes.size() > *announced_ - bytes_.size()) return {GrpcCode::kInternal, "the request has more than one message"};
  bytes_ += bytes;
  return {};
}

Outcome FrameReader::End() const {
  if (announced_ && bytes_.size() == *announced_) return {};
  return {GrpcCode::kInternal, "the request ended before its message"};
}

std::string FrameReader::TakeMessage() {
  CHECK(announced_ && bytes_.size() == *announced_);
  return std::move(bytes_);
}

}  // namespace allot::node::rpc
