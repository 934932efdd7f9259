// HTTP messages: the outcome does not depend on how the bytes are split, and no limit is exceeded.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "http/codec.h"

namespace {

using allot::http::Head;
using allot::http::Parser;
using allot::http::ParserLimits;

// Small limits, so that inputs reach them.
constexpr ParserLimits kLimits{.head = 200, .body = 300};

struct Outcome {
  bool ok = true, head_done = false, done = false, complete_at_end = false;
  size_t used = 0;
  Head head;
  std::string body;
};

// Feeds the bytes in pieces of the given sizes, which repeat.
Outcome Parse(Parser::Kind kind, std::string_view bytes, const std::vector<size_t>& sizes) {
  Parser parser(kind, kLimits);
  Outcome outcome;
  for (size_t i = 0; outcome.used < bytes.size() && !parser.done(); ++i) {
    const std::string piece(bytes.substr(outcome.used, sizes[i % sizes.size()]));
    const auto used = parser.Feed(piece, outcome.body);
    CHECK(outcome.body.size() <= kLimits.body);
    if (!used.ok()) {
      CHECK(!used.status().message().empty());
      outcome.ok = false;
      return outcome;
    }
    CHECK(*used <= piece.size());
    CHECK(*used == piece.size() || parser.done());
    outcome.used += *used;
  }
  outcome.head_done = parser.head_done();
  outcome.done = parser.done();
  if (outcome.head_done) outcome.head = parser.head();
  outcome.complete_at_end = parser.done() || parser.FeedEnd().ok();
  return outcome;
}

bool Same(const Head& a, const Head& b) {
  const auto same = [](const auto& x, const auto& y) { return x.name == y.name && x.value == y.value; };
  return a.method == b.method && a.target == b.target && a.status == b.status && a.minor == b.minor && a.keep_alive == b.keep_alive &&
         a.content_length == b.content_length && std::equal(a.headers.begin(), a.headers.end(), b.headers.begin(), b.headers.end(), same);
}

void CheckSame(const Outcome& a, const Outcome& b) {
  CHECK(a.ok == b.ok);
  if (!a.ok) return;
  CHECK(a.used == b.used);
  CHECK(a.head_done == b.head_done);
  CHECK(a.done == b.done);
  CHECK(a.complete_at_end == b.complete_at_end);
  CHECK(a.body == b.body);
  CHECK(Same(a.head, b.head));
}

void CheckLimits(const Outcome& outcome) {
  if (!outcome.ok || !outcome.head_done) return;
  size_t head = outcome.head.method.size() + outcome.head.target.size();
  for (const auto& field : outcome.head.headers) head += field.name.size() + field.value.size();
  CHECK(head <= kLimits.head);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The input also determines the splits: its last bytes are lengths, because a mutation there seldom breaks the message.
  std::vector<size_t> derived;
  for (size_t i = 0; i < std::min<size_t>(size, 8); ++i) derived.push_back(1 + data[size - 1 - i] % 37);
  if (derived.empty()) derived.push_back(1);
  for (const auto kind : {Parser::Kind::kRequest, Parser::Kind::kResponse}) {
    const Outcome whole = Parse(kind, bytes, {std::max<size_t>(size, 1)});
    CheckLimits(whole);
    CheckSame(whole, Parse(kind, bytes, {1}));
    CheckSame(whole, Parse(kind, bytes, derived));
  }
  return 0;
}
