#include "local/run_request.h"

#include <gmock/gmock.h>

#include <atomic>

#include "base/test_util.h"
#include "http/server.h"
#include "json/json.h"
#include "local/run_request_gpus.h"
#include "local/run_request_place.h"

namespace allot::local {
namespace {

const std::vector<OfferedGpu> kGpus = {
    {"n1", "NVIDIA GeForce RTX 3090", 24576}, {"n1", "NVIDIA GeForce RTX 3090", 24576}, {"n1", "NVIDIA GeForce RTX 3060", 12288}};

TEST(WhyNever, NamesWhatThereIs) {
  EXPECT_EQ(WhyNever({.model = "rtx4090"}, kGpus),
            "no GPU has \"rtx4090\" in its name; there are: 1 x NVIDIA GeForce RTX 3060, 2 x NVIDIA GeForce RTX 3090");
  EXPECT_EQ(WhyNever({.memory_mib = 30720}, kGpus),
            "30720 MiB of one GPU are asked, and the largest has 24576 MiB: NVIDIA GeForce RTX 3090");
  EXPECT_EQ(WhyNever({.memory_mib = 20480, .model = "RTX 3060"}, kGpus),
            "20480 MiB of one GPU are asked, and the largest has 12288 MiB: NVIDIA GeForce RTX 3060");
  EXPECT_EQ(WhyNever({.gpus = 4}, kGpus),
            "4 different GPUs are asked, and there are 3; there are: 1 x NVIDIA GeForce RTX 3060, 2 x NVIDIA GeForce RTX 3090");
  EXPECT_EQ(
      WhyNever({.memory_mib = 20480, .gpus = 3}, kGpus),
      "3 different GPUs are asked, and there are 2 that would do; there are: 1 x NVIDIA GeForce RTX 3060, 2 x NVIDIA GeForce RTX 3090");
  EXPECT_EQ(WhyNever({}, {}), "no GPU is offered here");
}

TEST(WhyNever, SaysNothingWhereThatIsNotTheReason) {
  EXPECT_EQ(WhyNever({}, kGpus), "");
  EXPECT_EQ(WhyNever({.memory_mib = 24576, .gpus = 2, .model = "rtx3090"}, kGpus), "");
}

TEST(WhyNever, CountsTheGpusOfOneNode) {
  EXPECT_EQ(WhyNever({.gpus = 2}, {{"n1", "L4", 100}, {"n2", "L4", 100}}),
            "2 different GPUs are asked, and there is 1 at most on one node; there are: 2 x L4");
}

kube::ObjectPtr Pod(const std::string& name, int priority, const std::string& created, const std::string& message,
                    const std::string& reason = "Unschedulable", const std::string& uid = "") {
  const Result<json::Document> pod = json::Parse(StrCat(
      R"({"metadata":{"namespace":"lab","name":")", name, R"(","uid":")", uid.empty() ? "u-" + name : uid, R"(","creationTimestamp":")",
      created, R"("},"spec":{"priority":)", priority, R"(},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":")",
      reason, R"(","message":")", message, R"("}]}})"));
  EXPECT_OK(pod);
  return kube::CopyObject(pod->root());
}

TEST(PlaceAmong, PriorityThenAgeThenName) {
  const std::vector<kube::ObjectPtr> pods = {Pod("late", 0, "2026-01-01T00:00:02Z", "no room"),
                                             Pod("b", 0, "2026-01-01T00:00:01Z", "no room"), Pod("a", 0, "2026-01-01T00:00:01Z", "no room"),
                                             Pod("vip", 10, "2026-01-01T00:00:03Z", "no room")};
  const auto place = [&](std::string_view uid) { return PlaceAmong(pods, uid); };
  EXPECT_EQ(place("u-vip"), 1U);
  EXPECT_EQ(place("u-a"), 2U);
  EXPECT_EQ(place("u-b"), 3U);
  EXPECT_EQ(place("u-late"), 4U);
  EXPECT_EQ(place("u-none"), 0U);
}

TEST(PlaceAmong, WithinASecondTheTimeInTheirUidsDecides) {
  const auto pod = [](const std::string& name, const std::string& uid) {
    return Pod(name, 0, "2026-01-01T00:00:01Z", "no room", "Unschedulable", uid);
  };
  const std::string first = "019a7c5e-0002-7001-8000-000000000002", second = "019a7c5e-0003-7001-8000-000000000001";
  EXPECT_EQ(PlaceAmong({pod("a", second), pod("b", first)}, first), 1U);
}

TEST(PlaceAmong, WhoCannotStartAnywayIsNotInTheQueue) {
  const std::vector<kube::ObjectPtr> pods = {Pod("giant", 0, "2026-01-01T00:00:01Z", "can never start here: too large"),
                                             Pod("gated", 0, "2026-01-01T00:00:01Z", "gates", "SchedulingGated"),
                                             Pod("a", 0, "2026-01-01T00:00:02Z", "no room")};
  EXPECT_EQ(PlaceAmong(pods, "u-a"), 1U);
  EXPECT_EQ(PlaceAmong(pods, "u-giant"), 0U);
}

// A server that has been started anew does not remember the version that the Pod got when it was made.
TEST(RunRequest, FollowsItsPodFromTheVersionOfTheListNotOfThePod) {
  const std::string pod = R"({"kind":"Pod","metadata":{"name":"train","namespace":"lab","uid":"u","resourceVersion":"3"MORE},"spec":{}})";
  const auto with = [&](std::string_view more) { return std::string(pod).replace(pod.find("MORE"), 4, more); };
  std::atomic<int> lists = 0;
  ASSERT_OK_AND_ASSIGN(http::Listener listener, http::Listener::Tcp("127.0.0.1", 0));
  const int port = listener.port();
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<http::Server> server,
                       http::Server::Start(std::move(listener), {},
                                           [&](const http::RequestContext& context, const std::shared_ptr<http::ResponseWriter>& writer) {
                                             const std::string& target = context.request.target;
                                             std::string text = with("");
                                             if (target.find("watch=1") != std::string::npos) {
                                               text =
                                                   target.find("resourceVersion=9") == std::string::npos
                                                       ? R"({"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410}})"
                                                       : StrCat(R"({"type":"MODIFIED","object":)",
                                                                with(R"(,"annotations":{"allot.dev/environment":"{\"A\":\"b\"}"})"), "}");
                                               text += "\n";
                                             } else if (target.find("fieldSelector") != std::string::npos) {
                                               ++lists;
                                               text = StrCat(R"({"metadata":{"resourceVersion":"9"},"items":[)", with(""), "]}");
                                             }
                                             writer->Send({200, {{"Content-Type", "application/json"}}, text});
                                           }));
  kube::Config config;
  config.server = StrCat("http://127.0.0.1:", port);
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<kube::Client> client, kube::Client::Make(config, {.qps = 0}));
  SystemRandom random;
  const Cancel cancel;
  ASSERT_OK_AND_ASSIGN(RunRequest request, RunRequest::Make(*client, "lab", {.argv = {"train"}, .name = "train"}, random, cancel));
  EXPECT_THAT(request.AwaitShare(cancel, nullptr), IsOkAndHolds(Environment{{"A", "b"}}));
  EXPECT_EQ(lists, 1);
}

}  // namespace
}  // namespace allot::local
