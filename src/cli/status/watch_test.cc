#include "cli/status/watch.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "base/file_system.h"
#include "base/test_util.h"
#include "cli/fake_cluster.h"
#include "cli/status.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::chrono::milliseconds kShort(10);
constexpr WatchPace kFast{kShort, kShort, kShort, std::chrono::milliseconds(0), kShort, kShort};

// Watches a server whose watches always ask for a new list, so that each change is seen by the next one.
class Watching {
 public:
  explicit Watching(FakeApi::Answer answer)
      : api_([this, answer = std::move(answer)](const http::Request& request) {
          if (request.target.find("watch=1") != std::string::npos) return FakeApi::Refused(410, "Expired", "too old");
          if (request.target.find("/resourceclaims") != std::string::npos) ++lists_;
          return answer(request);
        }) {}

  // What was printed until `until` was true (of what was printed so far, and how often claims were listed), it ended by itself, or a minute
  // had passed.
  std::string Until(const std::function<bool(std::string_view printed, int lists)>& until, std::vector<std::string_view> words = {}) {
    const Verb verb = StatusVerb();
    const std::string config = StrCat("--kubeconfig=", api_.config());
    words.push_back(config);
    const Result<Arguments> arguments = Arguments::Parse(AllFlags(verb), words);
    CHECK(arguments.ok());
    Result<std::unique_ptr<Session>> session = Session::Open(verb, *arguments);
    CHECK(session.ok());
    Cancel stop;
    testing::internal::CaptureStdout();
    std::atomic<bool> done{false};
    std::thread watch([&] {
      ended_ = WatchStatus(**session, arguments->operands(), arguments->Get("output"), stop, kFast);
      done = true;
    });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!until(Printed(), lists_) && !done && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.Request();
    watch.join();
    return testing::internal::GetCapturedStdout();
  }
  const Status& ended() const { return ended_; }

 private:
  // What stdout has got since it was captured: it is a file.
  static std::string Printed() {
    const Result<std::string> text = PosixFileSystem().ReadFile("/proc/self/fd/1", 1 << 24);
    return text.ok() ? *text : "";
  }

  std::atomic<int> lists_{0};
  FakeApi api_;
  Status ended_;
};

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(StatusWatch, WithoutATerminalEachChangeIsABlockAndNoChangeIsNone) {
  const FakeCluster before = HealthyCluster();
  FakeCluster after = before;
  after.claims += StrCat(",", FakeClaim("c3", "gpu-0", "3Gi", "third"));
  std::atomic<bool> changed{false};
  Watching watching([&](const http::Request& request) { return (changed ? after : before).Answer(request); });
  int since = 0;
  const std::string text = watching.Until([&](std::string_view printed, int lists) {
    if (CountOf(printed, "6144 free") > 0) changed = true;
    if (since == 0 && CountOf(printed, "lab/third") > 0) since = lists;
    return since > 0 && lists >= since + 4;
  });
  EXPECT_OK(watching.ended());
  EXPECT_EQ(CountOf(text, "n1/gpu-0"), 2u) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("6144 free"), HasSubstr("3072 free"), HasSubstr("lab/third"), Not(HasSubstr("\x1b"))));
}

TEST(StatusWatch, AServerThatGoesIsWaitedForAndTheDataIsCalledStale) {
  const FakeCluster cluster = HealthyCluster();
  std::atomic<int> fails{0};
  std::atomic<bool> down{false};
  Watching watching([&](const http::Request& request) {
    if (!down) return cluster.Answer(request);
    ++fails;
    return FakeApi::Refused(500, "InternalError", "going down");
  });
  const std::string text = watching.Until([&](std::string_view printed, int) {
    const size_t blocks = CountOf(printed, "n1/gpu-0");
    if (blocks > 0) down = fails < 8 || CountOf(printed, "STALE") == 0;
    return blocks >= 3;
  });
  EXPECT_OK(watching.ended());
  EXPECT_THAT(text, AllOf(HasSubstr("STALE since "), HasSubstr("going down")));
  // Before, while it is away (what was seen last), and after.
  EXPECT_EQ(CountOf(text, "n1/gpu-0"), 3u) << text;
}

TEST(StatusWatch, WhatASingleLookRefusesIsAnErrorAtOnce) {
  const FakeCluster cluster = HealthyCluster();
  Watching watching([&](const http::Request& request) { return cluster.Answer(request); });
  EXPECT_EQ(watching.Until([](std::string_view, int lists) { return lists >= 3; }, {"n9"}), "");
  EXPECT_THAT(watching.ended(), IsStatus(Code::kNotFound, HasSubstr("node \"n9\" has no devices")));
}

}  // namespace
}  // namespace allot::cli
