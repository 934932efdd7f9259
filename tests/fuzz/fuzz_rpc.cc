// A session of the gRPC server with arbitrary input: each complete call runs at most once, each stream gets at most one response, and the
// limits bound the session's memory and output, however long the session lasts.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "node/rpc/session.h"

namespace {

using allot::Exhausted;
using allot::Result;
using allot::Status;
using namespace allot::node::rpc;

// Small limits, so that inputs reach them.
constexpr SessionLimits kLimits{
    .max_message = 300, .max_requests = 500, .max_streams = 4, .max_headers = 500, .resets = 8, .resets_per_second = 1};
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Checks the frames that the server sends.
class Audit {
 public:
  void Take(std::string_view bytes) {
    buffered_ += bytes;
    for (;;) {
      if (buffered_.size() < 9) return;
      const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(buffered_[i])); };
      const size_t length = byte(0) << 16 | byte(1) << 8 | byte(2);
      if (buffered_.size() < 9 + length) return;
      OnFrame(byte(3), byte(4), (byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8)) & 0x7fffffff);
      buffered_.erase(0, 9 + length);
    }
  }
  bool whole() const { return buffered_.empty(); }

 private:
  void OnFrame(uint32_t type, uint32_t flags, uint32_t stream) {
    constexpr uint32_t kData = 0, kHeaders = 1, kReset = 3, kEndStream = 1;
    if (type == kReset) ended_[stream] = true;
    if (type != kData && type != kHeaders) return;
    CHECK(stream % 2 == 1);  // a stream of the client
    CHECK(!ended_[stream]);  // no frames after the end
    if (type == kHeaders) {
      // At most the response's headers, and its trailers, which end the stream.
      CHECK(++heads_[stream] <= 2);
      CHECK(heads_[stream] == 1 || (flags & kEndStream) != 0);
    } else {
      CHECK(heads_[stream] == 1);
    }
    if ((flags & kEndStream) != 0) ended_[stream] = true;
  }

  std::string buffered_;
  std::map<uint32_t, int> heads_;
  std::map<uint32_t, bool> ended_;
};

struct World {
  World() {
    services.Add("/t.T/Echo", [this](const Call&, std::string_view request) -> Result<std::string> {
      CHECK(request.size() <= kLimits.max_message);
      ++ran;
      return std::string(request);
    });
    services.Add("/t.T/Fail", [this](const Call&, std::string_view request) -> Result<std::string> {
      ++ran;
      return Exhausted(request);
    });
    services.AddStream("/t.T/Watch", [this](const Call&, std::string_view, std::shared_ptr<Stream> stream) {
      ++ran;
      streams.push_back(std::move(stream));
      return Status();
    });
  }
  Services services;
  std::vector<std::shared_ptr<Stream>> streams;
  size_t ran = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  // The first byte determines the sizes of the pieces, and how often responses are read and calls are run.
  const uint8_t choice = rest.empty() ? 0 : data[0];
  if (!rest.empty()) rest.remove_prefix(1);
  const size_t piece = choice % 4 == 0 ? 4096 : 1 + choice % 61;
  const size_t every = 1 + choice % 3;

  const auto mailbox = std::make_shared<Mailbox>();
  World world;
  Audit audit;
  size_t started_calls = 0;
  {
    Session session(world.services, kLimits, {}, mailbox);
    std::vector<std::shared_ptr<Exchange>> started;
    bool alive = true;
    std::string_view bytes = kPreface;  // so that inputs need not contain it
    for (size_t round = 0; alive; ++round) {
      if (bytes.empty() && round > 0) {
        if (rest.empty()) break;
        bytes = rest.substr(0, piece);
        rest.remove_prefix(bytes.size());
      }
      if (session.wants_input()) alive = session.Receive(bytes, started);
      bytes = {};
      CHECK(session.calls() <= kLimits.max_streams + 1);
      if (round % every != 0) continue;
      started_calls += started.size();
      for (const auto& exchange : started) exchange->Run();
      started.clear();
      for (const auto& stream : world.streams) stream->Send("state");
      for (const auto& exchange : mailbox->Take()) {
        if (exchange->session != nullptr) session.OnPosted(*exchange);
      }
      for (std::string_view out = session.NextOutput(); !out.empty(); out = session.NextOutput()) audit.Take(out);
      CHECK(audit.whole());
      if (session.done()) alive = false;
      if (choice >= 250 && round == 5) session.Drain();
    }
  }
  CHECK(world.ran <= started_calls);
  for (const auto& stream : world.streams) CHECK(stream->closed() && !stream->Send("late"));
  mailbox->Close();
  return 0;
}
