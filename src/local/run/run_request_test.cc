#include "local/run/run_request.h"

#include <gmock/gmock.h>

#include <atomic>

#include "base/test_util.h"
#include "http/server.h"
#include "json/json.h"
#include "local/run/run_request_gpus.h"

namespace allot::local {
namespace {

const std::vector<OfferedGpu> kGpus = {
    {"n1", "NVIDIA GeForce RTX 3090", 24576}, {"n1", "NVIDIA GeForce RTX 3090", 24576}, {"n1", "NVIDIA GeForce RTX 3060", 12288}};

TEST(WhyNever, NamesWhatThereIs) {
  EXPECT_EQ(WhyNever({.model = "rtx4090"}, kGpus),
            "no GPU has \"rtx4090\" in its name; offered: 1 x NVIDIA GeForce RTX 3060, 2 x NVIDIA GeForce RTX 3090");
  EXPECT_EQ(WhyNever({.memory = model::MiB(30720)}, kGpus),
            "30720 MiB of one GPU are requested, but the largest GPU has 24576 MiB: NVIDIA GeForce RTX 3090");
  EXPECT_EQ(WhyNever({.memory = model::MiB(20480), .model = "RTX 3060"}, kGpus),
            "20480 MiB of one GPU are requested, but the largest GPU has 12288 MiB: NVIDIA GeForce RTX 3060");
  EXPECT_EQ(WhyNever({.gpus = 4}, kGpus),
            "4 different GPUs are requested, but there are 3; offered: 1 x NVIDIA GeForce RTX 3060, 2 x NVIDIA GeForce RTX 3090");
  EXPECT_EQ(WhyNever({.memory = model::MiB(20480), .gpus = 3}, kGpus),
            "3 different GPUs are requested, but there are 2 that fit; offered: 1 x NVIDIA GeForce RTX 3060, 2 x NVIDIA GeForce RTX 3090");
  EXPECT_EQ(WhyNever({}, {}), "no GPU is offered here");
}

TEST(WhyNever, IsEmptyIfThatIsNotTheReason) {
  EXPECT_EQ(WhyNever({}, kGpus), "");
  EXPECT_EQ(WhyNever({.memory = model::MiB(24576), .gpus = 2, .model = "rtx3090"}, kGpus), "");
}

TEST(WhyNever, CountsTheGpusOfOneNode) {
  EXPECT_EQ(WhyNever({.gpus = 2}, {{"n1", "L4", 100}, {"n2", "L4", 100}}),
            "2 different GPUs are requested, but there is 1 at most on one node; offered: 2 x L4");
}

// A restarted server cannot start a watch at the resourceVersion of an old Pod.
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
