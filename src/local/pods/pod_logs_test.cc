#include "local/pods/pod_logs.h"

#include "local/test_node.h"

namespace allot::local {
namespace {

using ::testing::HasSubstr;

class PodLogsTest : public NodeTest {
 protected:
  // Follows a log on its own thread.
  struct Follower {
    Follower(kube::Client& client, const std::string& pod) {
      thread = std::thread([this, &client, pod] {
        http::Request request;
        request.target = StrCat("/api/v1/namespaces/default/pods/", pod, "/log?follow=true");
        const auto response = client.Raw(request, "logs");
        const std::lock_guard lock(mutex);
        text = response.ok() ? response->body : response.status().message();
        done = true;
      });
    }
    ~Follower() { thread.join(); }
    std::mutex mutex;
    std::string text;
    std::atomic<bool> done = false;
    std::thread thread;
  };
};

TEST_F(PodLogsTest, AsMuchAsIsAskedFor) {
  StartPods();
  Create(PodJson("a", "echo one; echo two >&2; sleep 1.1; echo three; printf four"));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  EXPECT_EQ(Logs("a"), "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(Logs("a", "tailLines=2"), "three\nfour\n");
  EXPECT_EQ(Logs("a", "tailLines=0"), "");
  EXPECT_EQ(Logs("a", "tailLines=100"), "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(Logs("a", "limitBytes=5"), "one\nt");
  EXPECT_EQ(Logs("a", "sinceSeconds=1").find("one"), std::string::npos);
  EXPECT_EQ(Logs("a", "sinceSeconds=9223372036854775807"), "one\ntwo\nthree\nfour\n");
  const std::string stamped = Logs("a", "timestamps=true");
  const size_t third = stamped.find("two\n") + 4;
  EXPECT_EQ(Logs("a", "sinceTime=" + stamped.substr(third, stamped.find(' ', third) - third)), "three\nfour\n");
  EXPECT_EQ(Logs("a", "sinceTime=2099-01-02T03:04:05Z"), "");
  EXPECT_THAT(Logs("a", "sinceTime=yesterday"), HasSubstr("is not a time"));
  EXPECT_THAT(Logs("a", "sinceTime=2099-01-02T03:04:05Z&sinceSeconds=5"), HasSubstr("at most one of"));
  for (const char* wrong : {"sinceSeconds=-1", "tailLines=-1", "limitBytes=0"}) EXPECT_THAT(Logs("a", wrong), HasSubstr("must be greater"));
  EXPECT_THAT(Logs("a", "tailLines=1&timestamps=true"), testing::MatchesRegex("20..-..-..T..:..:...+Z four\n"));
  EXPECT_THAT(Logs("a", "previous=true"), HasSubstr("previous terminated container \"c\" in pod \"a\" not found"));
  EXPECT_EQ(Logs("a", "follow=true"), "one\ntwo\nthree\nfour\n");
}

TEST_F(PodLogsTest, DoesNotShowTheLogOfAnotherPodWithTheSameName) {
  StartPods();
  Create(PodJson("a", "echo mine"));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  // The folder of a node of an earlier start, which sorts before n1.
  const std::string old = folder / "pods/m1/default/a/7f1f8a0e-0000-4000-8000-000000000000/c/0";
  ASSERT_OK(files.MakeDirs(old));
  ASSERT_OK(files.WriteFileAtomic(old + "/exit.json", "{}"));
  ASSERT_OK(files.WriteFileAtomic(old + "/log", "2026-01-02T03:04:05.000000000Z stdout F another's\n"));
  EXPECT_EQ(Logs("a"), "mine\n");
}

TEST_F(PodLogsTest, AContainerThatHasNotStartedHasNoLogYet) {
  Create(PodJson("a", "true"));
  EXPECT_THAT(Logs("a"), HasSubstr("container \"c\" in pod \"a\" is waiting to start"));
}

TEST_F(PodLogsTest, FollowingEndsWithTheContainerAndMissesNothing) {
  StartPods();
  const std::string go = folder / "go";
  Create(PodJson(
      "a", StrCat("echo begin; while [ ! -e ", go, " ]; do sleep 0.01; done; i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done")));
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  std::string expected = "begin\n";
  for (int i = 0; i < 3000; ++i) expected += StrCat(i, "\n");
  Follower first(*client, "a"), second(*client, "a");
  // The response stays open while nothing is written.
  EXPECT_FALSE(Eventually([&] { return first.done.load(); }, std::chrono::milliseconds(200)));
  std::ofstream(go).flush();
  ASSERT_TRUE(Eventually([&] { return first.done && second.done; }));
  EXPECT_EQ(first.text, expected);
  EXPECT_EQ(second.text, expected);
}

TEST_F(PodLogsTest, ALongLogIsCompleteEvenIfTheClientIsSlow) {
  StartPods();
  Create(PodJson("a", "yes 'a line of some length, so that there is much of it' | head -n 120000"));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  const std::string text = Logs("a");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 120'000);
}

// A client that never receives anything.
class StuckWriter final : public http::ResponseWriter {
 public:
  http::WriteState Send(http::Response) override { return http::WriteState::kAccepted; }
  http::WriteState Start(int, http::Headers) override { return http::WriteState::kAccepted; }
  http::WriteState Write(std::string_view bytes) override {
    queued_ += bytes.size();
    return http::WriteState::kAccepted;
  }
  http::WriteState Write(std::span<const std::shared_ptr<const std::string>>) override { return http::WriteState::kAccepted; }
  void End() override {}
  size_t queued_bytes() const override { return queued_; }
  void OnGone(std::function<void()> callback) override { gone_ = std::move(callback); }
  void OnDrain(std::function<void()>) override {}
  void Leave() { gone_(); }

 private:
  std::atomic<size_t> queued_ = 0;
  std::function<void()> gone_;
};

TEST_F(PodLogsTest, AStuckClientDelaysNoOtherAndUsesLittleMemory) {
  StartPods();
  Create(PodJson("a", "yes 'a line of some length, so that there is much of it' | head -n 120000"));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  const auto stuck = std::make_shared<StuckWriter>();
  LocalPodLogs::Request request;
  request.space = "default", request.pod = "a", request.uid = Get("a")->uid(), request.container = "c", request.follow = true;
  logs.Serve(request, stuck);
  ASSERT_TRUE(Eventually([&] { return stuck->queued_bytes() > 0; }));
  EXPECT_EQ(Logs("a", "tailLines=1"), "a line of some length, so that there is much of it\n");
  EXPECT_LT(stuck->queued_bytes(), 2U << 20);
  stuck->Leave();
}

}  // namespace
}  // namespace allot::local
