// Devices are never given out twice while the scheduler does not know whether a write arrived, or while a write is under way. An auditor
// that watches the API checks this at every moment.

#include "apiserver/refusal.h"
#include "control/scheduler.h"
#include "control/test_auditor.h"
#include "control/test_cluster.h"

namespace allot::control {
namespace {

constexpr std::string_view kOfA = "resourceClaimName: claim-a", kOfB = "resourceClaimName: claim-b";

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool IsClaimWatch(std::string_view request) {
  return request.starts_with("GET ") && Has(request, "/resourceclaims?") && Has(request, "watch=");
}

// One GPU, and two claims that want all of it. The scheduler hears of no claim any more, and of one answer less.
class Unsure : public testing::Test {
 protected:
  Unsure() : cluster_(1, 8), auditor_(cluster_.client(), 8 * 1024) {
    cluster_.AddClaim("claim-a", "8Gi");
    cluster_.AddClaim("claim-b", "8Gi");
  }

  // The next answer to such a request is lost.
  void LoseOne(Relay& relay, std::string method_and_end) {
    relay.LoseAnswers([method_and_end = std::move(method_and_end), once = false](std::string_view request) mutable {
      const size_t space = method_and_end.find(' ');
      const bool is = request.starts_with(method_and_end.substr(0, space + 1)) && Has(request, method_and_end.substr(space + 1));
      return is && !std::exchange(once, true);
    });
  }
  std::string HeldBy(std::string_view claim) { return TestCluster::Held(cluster_.Get(kube::types::kResourceClaims, claim)); }
  // Of all that was written until now.
  std::string Findings() {
    cluster_.AddClaim("marker", "1Gi");
    EXPECT_TRUE(cluster_.Await([&] { return auditor_.Knows("marker"); }));
    return auditor_.findings();
  }
  bool Waits(std::string_view pod) { return cluster_.Scheduled(pod).starts_with("False Unschedulable"); }

  TestCluster cluster_;
  const Auditor auditor_;
};

TEST_F(Unsure, AnAllocationWhoseAnswerWasLostCountsThoughNoWatchTellsOfIt) {
  Relay& relay = cluster_.UseRelay();
  cluster_.StartScheduler(ShortPauses());
  relay.HoldBack(IsClaimWatch);
  LoseOne(relay, "PUT /claim-a/status");
  cluster_.AddPod("a", kOfA);
  ASSERT_TRUE(cluster_.Await([&] { return relay.lost() == 1; }));
  const kube::ObjectPtr first = cluster_.Get(kube::types::kResourceClaims, "claim-a");
  cluster_.AddPod("b", kOfB);
  ASSERT_TRUE(cluster_.AwaitBound("a")) << cluster_.log();
  EXPECT_TRUE(json::Equal(first->json()["status"], cluster_.ClaimOf("a")->json()["status"])) << "the same allocation, not another one";
  ASSERT_TRUE(cluster_.Await([&] { return Waits("b"); })) << cluster_.log();
  EXPECT_EQ(HeldBy("claim-b"), "");
  cluster_.DeletePod("a");
  relay.HoldBack(nullptr);
  EXPECT_TRUE(cluster_.AwaitBound("b")) << cluster_.log();
  EXPECT_EQ(Findings(), "");
}

TEST_F(Unsure, WhatWasFreedBetweenAWatchThatEndedAndTheNextListIsFree) {
  Relay& relay = cluster_.UseRelay();
  cluster_.StartScheduler(ShortPauses());
  relay.HoldBack(IsClaimWatch);  // the informer stays at a claim that is not allocated
  cluster_.AddPod("a", kOfA);
  ASSERT_TRUE(cluster_.AwaitBound("a")) << cluster_.log();
  cluster_.AddPod("b", kOfB);
  ASSERT_TRUE(cluster_.Await([&] { return Waits("b"); })) << cluster_.log();
  cluster_.DeletePod("a");
  ASSERT_TRUE(cluster_.Await([&] { return HeldBy("claim-a").empty(); }));
  relay.Expire([once = false](std::string_view request) mutable { return IsClaimWatch(request) && !std::exchange(once, true); });
  relay.HoldBack(nullptr);
  EXPECT_TRUE(cluster_.AwaitBound("b")) << cluster_.log();
  EXPECT_EQ(Findings(), "");
}

TEST_F(Unsure, WhatWasWrittenCountsHoweverLongTheBindingTakes) {
  Relay& relay = cluster_.UseRelay();
  Scheduler& scheduler = cluster_.StartScheduler(ShortPauses());
  relay.HoldBack(IsClaimWatch);
  cluster_.gatekeeper().Set([&](const auto& request, const auto&) {
    if (IsBinding(request)) cluster_.PassTime(std::chrono::minutes(10));
    return Status();
  });
  cluster_.AddPod("a", kOfA);
  ASSERT_TRUE(cluster_.Await([&] { return scheduler.counts().bound == 1; })) << cluster_.log();
  cluster_.AddPod("b", kOfB);
  ASSERT_TRUE(cluster_.Await([&] { return Waits("b") || !cluster_.NodeOf("b").empty(); })) << cluster_.log();
  EXPECT_EQ(HeldBy("claim-b"), "");
  EXPECT_EQ(Findings(), "");
}

TEST_F(Unsure, APodThatIsGoneKeepsItsPlaceUntilItsAllocationIsTakenBack) {
  Relay& relay = cluster_.UseRelay();
  cluster_.StartScheduler(ShortPauses());
  relay.HoldBack(IsClaimWatch);
  LoseOne(relay, "PUT /claim-a/status");
  std::atomic<bool> clean = false;
  // No controller cleans up.
  cluster_.gatekeeper().Set([&](const auto& request, const auto&) -> Status {
    return request.user != "system:admin" && request.name == "claim-a" && !clean ? apiserver::InternalError("later") : Status();
  });
  cluster_.AddPod("a", kOfA);
  ASSERT_TRUE(cluster_.Await([&] { return relay.lost() == 1; }));
  cluster_.DeletePod("a");
  cluster_.AddPod("b", kOfB);
  ASSERT_TRUE(cluster_.AwaitBound("b")) << cluster_.log();
  EXPECT_EQ(HeldBy("claim-a"), "");
  EXPECT_EQ(HeldBy("claim-b"), "gpu-0 8Gi for b");
  EXPECT_EQ(Findings(), "");
  clean = true;
}

TEST_F(Unsure, APodThatIsDeletedWhileItIsWrittenKeepsItsPlaceUntilThatEnded) {
  std::atomic<bool> writing = false, go_on = false;
  cluster_.gatekeeper().Set([&](const auto& request, const json::Value& object) -> Status {
    if (!IsClaim(request, "status") || request.name != "claim-a" || object["status"]["allocation"].IsNull()) return Status();
    writing = true;
    EXPECT_TRUE(TestCluster::Await([&] { return go_on.load(); }));
    return Status();
  });
  Scheduler& scheduler = cluster_.StartScheduler(ShortPauses());
  cluster_.AddPod("a", kOfA);
  ASSERT_TRUE(cluster_.Await([&] { return writing.load(); }));
  cluster_.DeletePod("a");
  cluster_.AddPod("b", kOfB);
  const bool decided = cluster_.Await([&] { return Waits("b") || !cluster_.NodeOf("b").empty(); });
  go_on = true;
  ASSERT_TRUE(decided) << cluster_.log();
  ASSERT_TRUE(cluster_.Await([&] { return scheduler.counts().failures == 1; })) << cluster_.log();
  EXPECT_TRUE(cluster_.AwaitBound("b")) << cluster_.log();
  EXPECT_EQ(HeldBy("claim-a"), "");
  EXPECT_EQ(Findings(), "");
}

TEST_F(Unsure, NothingIsWrittenForAPodThatWasGoneBeforeItsTurn) {
  std::atomic<bool> busy = false, go_on = false;
  std::atomic<int> writes = 0;
  cluster_.gatekeeper().Set([&](const auto& request, const auto&) -> Status {
    if (request.user == "system:admin" && request.name == "claim-a" && request.operation == apiserver::Operation::kUpdate) ++writes;
    if (!IsBinding(request) || request.name != "slow") return Status();
    busy = true;
    EXPECT_TRUE(TestCluster::Await([&] { return go_on.load(); }));
    return Status();
  });
  SchedulerOptions options = ShortPauses();
  options.binders = 1;
  Scheduler& scheduler = cluster_.StartScheduler(options);
  cluster_.AddPod("slow", "");
  ASSERT_TRUE(cluster_.Await([&] { return busy.load(); }));
  cluster_.AddPod("a", kOfA);
  ASSERT_TRUE(cluster_.Await([&] { return scheduler.counts().placed == 2; }));
  cluster_.DeletePod("a");
  cluster_.AddPod("b", kOfB);
  ASSERT_TRUE(cluster_.Await([&] { return Waits("b") || scheduler.counts().placed == 3; }));
  go_on = true;
  EXPECT_TRUE(cluster_.AwaitBound("b")) << cluster_.log();
  EXPECT_EQ(writes, 0);
  EXPECT_EQ(Findings(), "");
}

}  // namespace
}  // namespace allot::control
