// What happens where writes fail, others write too, or the scheduler is killed.

#include "apiserver/refusal.h"
#include "control/scheduler.h"
#include "control/test_cluster.h"

namespace allot::control {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An allocation of the device, as another scheduler would write it.
std::string AllocationOf(std::string_view node, std::string_view device, std::string_view memory) {
  return StrCat(R"({"devices":{"results":[{"request":"gpu","driver":"gpu.nvidia.com","pool":")", node, R"(","device":")", device,
                R"(","shareID":"11111111-1111-4111-8111-111111111111","consumedCapacity":{"memory":")", memory,
                R"("}}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":[")", node,
                R"("]}]}]}})");
}

// Pod a with half of a GPU. Its scheduler is killed after it has allocated the GPU and before it binds the Pod.
void KillBeforeBinding(TestCluster& cluster, std::string_view more = "") {
  cluster.gatekeeper().Set(
      [](const auto& request, const auto&) { return IsBinding(request) ? apiserver::InternalError("going down") : Status(); });
  cluster.StartScheduler();
  cluster.AddPod("a", kHalf, more);
  ASSERT_TRUE(cluster.Await([&] { return cluster.log().find("could not bind a Pod") != std::string::npos; }));
  cluster.StopScheduler();
  ASSERT_EQ(cluster.Held(cluster.ClaimOf("a")), "gpu-0 4Gi for a");
  ASSERT_EQ(cluster.NodeOf("a"), "");
  cluster.gatekeeper().Set(nullptr);
}

TEST(SchedulerFaults, KilledBetweenAllocationAndBindingTheNextOneGoesOn) {
  TestCluster cluster(2, 8);
  cluster.AddTemplate("half", "4Gi");
  ASSERT_NO_FATAL_FAILURE(KillBeforeBinding(cluster));
  const kube::ObjectPtr before = cluster.ClaimOf("a");
  cluster.StartScheduler();
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_TRUE(json::Equal(before->json()["status"], cluster.ClaimOf("a")->json()["status"])) << "the same allocation, not another one";
}

TEST(SchedulerFaults, ABindingWhoseAnswerWasLostIsTriedAgainWithTheSameAllocation) {
  std::atomic<int> tried = 0, allocated = 0;
  TestCluster cluster(2, 8);
  cluster.AddTemplate("half", "4Gi");
  cluster.gatekeeper().Set([&](const auto& request, const auto&) {
    if (IsClaim(request, "status")) ++allocated;
    if (!IsBinding(request) || ++tried > 2) return Status();
    return apiserver::InternalError("etcdserver: request timed out");
  });
  cluster.StartScheduler(ShortPauses());
  cluster.AddPod("a", kHalf);
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_EQ(tried, 3);
  EXPECT_EQ(allocated, 1);
  EXPECT_EQ(cluster.Held(cluster.ClaimOf("a")), "gpu-0 4Gi for a");
}

TEST(SchedulerFaults, ARefusedBindingIsTakenBackAndTriedAgain) {
  std::atomic<int> tried = 0;
  std::mutex mutex;
  std::vector<bool> allocated;
  TestCluster cluster(1, 8);
  cluster.AddTemplate("half", "4Gi");
  cluster.gatekeeper().Set([&](const auto& request, const json::Value& object) -> Status {
    if (IsClaim(request, "status")) {
      const std::lock_guard lock(mutex);
      allocated.push_back(!object["status"]["allocation"].IsNull());
    }
    if (IsBinding(request) && ++tried == 1) return Invalid("not yet");
    return Status();
  });
  Scheduler& scheduler = cluster.StartScheduler(ShortPauses());
  cluster.AddPod("a", kHalf);
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  {
    const std::lock_guard lock(mutex);
    EXPECT_THAT(allocated, ElementsAre(true, false, true));
  }
  EXPECT_EQ(cluster.Held(cluster.ClaimOf("a")), "gpu-0 4Gi for a");
  EXPECT_EQ(scheduler.counts().failures, 1u);
  EXPECT_TRUE(cluster.Await([&] {
    return cluster.EventsOf("a").find("could not be bound to n1, and is tried again") != std::string::npos;
  })) << cluster.EventsOf("a");
}

TEST(SchedulerFaults, WhatOthersUseIsNotTakenBack) {
  std::atomic<int> refused = 0;
  TestCluster cluster(1, 8);
  cluster.AddClaim("shared", "4Gi");
  cluster.gatekeeper().Set([&](const auto& request, const auto&) -> Status {
    if (!IsBinding(request) || request.name != "b") return Status();
    ++refused;
    return Invalid("never");
  });
  Scheduler& scheduler = cluster.StartScheduler(ShortPauses());
  cluster.AddPod("a", "resourceClaimName: shared");
  ASSERT_TRUE(cluster.AwaitBound("a"));
  const kube::ObjectPtr before = cluster.ClaimOf("a");
  cluster.AddPod("b", "resourceClaimName: shared");
  ASSERT_TRUE(cluster.Await([&] { return scheduler.counts().failures > 1; })) << cluster.log();
  cluster.StopScheduler();
  EXPECT_GT(refused, 1);
  EXPECT_TRUE(json::Equal(before->json()["status"], cluster.ClaimOf("a")->json()["status"])) << cluster.Held(cluster.ClaimOf("a"));
}

TEST(SchedulerFaults, APodThatIsAlwaysRefusedKeepsNoPodFromItsPlace) {
  TestCluster cluster(1, 8);
  cluster.AddTemplate("whole", "8Gi");
  cluster.gatekeeper().Set([&](const auto& request, const json::Value& object) {
    return IsBinding(request) && json::TextOf(object["metadata"]["name"]) == "bad" ? Invalid("never") : Status();
  });
  cluster.AddPod("bad", "resourceClaimTemplateName: whole", ", priority: 0");
  cluster.StartScheduler();  // with pauses of seconds
  ASSERT_TRUE(cluster.Await([&] { return cluster.log().find("could not bind a Pod") != std::string::npos; }));
  cluster.AddPod("good", "resourceClaimTemplateName: whole");
  EXPECT_TRUE(cluster.AwaitBound("good")) << cluster.log();
}

TEST(SchedulerFaults, APodThatWasRefusedOnceKeepsItsPlaceInTheQueue) {
  std::atomic<int> tried = 0;
  TestCluster cluster(1, 8);
  cluster.AddTemplate("whole", "8Gi");
  cluster.gatekeeper().Set([&](const auto& request, const json::Value& object) {
    const bool is_first = json::TextOf(object["metadata"]["name"]) == "first";
    return IsBinding(request) && is_first && ++tried == 1 ? Invalid("not yet") : Status();
  });
  for (const char* name : {"first", "second", "third"}) cluster.AddPod(name, "resourceClaimTemplateName: whole");
  cluster.StartScheduler(ShortPauses());
  ASSERT_TRUE(cluster.AwaitBound("second")) << cluster.log();
  ASSERT_TRUE(cluster.Await([&] { return cluster.Scheduled("first").find("does not fit") != std::string::npos; })) << cluster.log();
  cluster.DeletePod("second");
  ASSERT_TRUE(cluster.Await([&] { return !cluster.NodeOf("first").empty() || !cluster.NodeOf("third").empty(); })) << cluster.log();
  EXPECT_EQ(cluster.NodeOf("first"), "n1");
  EXPECT_EQ(cluster.NodeOf("third"), "");
}

TEST(SchedulerFaults, AClaimThatAnotherSchedulerAllocatedFirstIsFollowed) {
  std::atomic<bool> was_faster = false;
  TestCluster cluster(2, 8);
  cluster.AddClaim("c", "4Gi");
  // While our own first write is under way, another scheduler gives the claim what we would not.
  cluster.gatekeeper().Set([&](const auto& request, const auto&) -> Status {
    if (!IsClaim(request, "") || was_faster.exchange(true)) return Status();
    return cluster.client()
        .Patch(kube::types::kResourceClaims, "lab", "c", kube::PatchType::kMerge,
               StrCat(R"({"status":{"allocation":)", AllocationOf("n1", "gpu-1", "4Gi"), "}}"), "status")
        .status();
  });
  Scheduler& scheduler = cluster.StartScheduler(ShortPauses());
  cluster.AddPod("a", "resourceClaimName: c");
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_TRUE(was_faster);
  EXPECT_EQ(cluster.Held(cluster.ClaimOf("a")), "gpu-1 4Gi for a");
  EXPECT_GE(scheduler.counts().failures, 1u);
  EXPECT_THAT(cluster.log(), HasSubstr("was allocated by another scheduler meanwhile"));
}

TEST(SchedulerFaults, AClaimThatAnotherWriterLabelsIsAllocatedAllTheSame) {
  std::atomic<int> writes = 0;
  TestCluster cluster(1, 8);
  cluster.AddClaim("c", "4Gi");
  cluster.gatekeeper().Set([&](const auto& request, const auto& object) -> Status {
    const bool ours = (IsClaim(request, "") || IsClaim(request, "status")) && object["metadata"]["labels"].IsNull();
    if (!ours || writes++ > 0) return Status();
    return cluster.client()
        .Patch(kube::types::kResourceClaims, "lab", "c", kube::PatchType::kMerge, R"({"metadata":{"labels":{"team":"x"}}})")
        .status();
  });
  Scheduler& scheduler = cluster.StartScheduler();
  cluster.AddPod("a", "resourceClaimName: c");
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_EQ(cluster.Held(cluster.ClaimOf("a")), "gpu-0 4Gi for a");
  EXPECT_EQ(scheduler.counts().failures, 0u);
}

TEST(SchedulerFaults, AnAllocationOnANodeThatWasCordonedIsGivenUp) {
  TestCluster cluster(1, 8);
  cluster.AddTemplate("half", "4Gi");
  ASSERT_NO_FATAL_FAILURE(KillBeforeBinding(cluster));
  EXPECT_OK(cluster.client().Patch(kube::types::kNodes, "", "n1", kube::PatchType::kMerge, R"({"spec":{"unschedulable":true}})"));
  cluster.AddNode("n2", 1, 8);
  cluster.StartScheduler();
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log() << cluster.Scheduled("a");
  EXPECT_EQ(cluster.NodeOf("a"), "n2");
}

TEST(SchedulerFaults, AnAllocationThatLeavesNoRoomForTheOtherOneOfThePodIsGivenUp) {
  TestCluster cluster(1, 12);  // it had another GPU when the Pod was decided
  cluster.AddNode("n2", 2, 12);
  cluster.AddClaim("c1", "10Gi");
  cluster.AddClaim("c2", "10Gi");
  cluster.AddPod("a", "resourceClaimName: c1}, {name: other, resourceClaimName: c2");
  const std::string uid(cluster.Get(kube::types::kPods, "a")->uid());
  EXPECT_OK(cluster.client().Patch(kube::types::kResourceClaims, "lab", "c1", kube::PatchType::kMerge,
                                   StrCat(R"({"status":{"reservedFor":[{"resource":"pods","name":"a","uid":")", uid, R"("}],"allocation":)",
                                          AllocationOf("n1", "gpu-0", "10Gi"), "}}"),
                                   "status"));
  cluster.StartScheduler();
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log() << cluster.Scheduled("a");
  EXPECT_EQ(cluster.NodeOf("a"), "n2");
}

TEST(SchedulerFaults, AnAllocationStaysWhereWaitingForOthersIsEnough) {
  TestCluster cluster(1, 8);
  cluster.AddTemplate("half", "4Gi");
  constexpr std::string_view kMuchCpu = ", initContainers: [{name: i, image: x, resources: {requests: {cpu: '200'}}}]";
  ASSERT_NO_FATAL_FAILURE(KillBeforeBinding(cluster, kMuchCpu));
  cluster.AddPod("hog", "", StrCat(kMuchCpu, ", nodeName: n1"));  // now only CPU is missing, until it ends
  cluster.StartScheduler();
  ASSERT_TRUE(cluster.Await([&] { return cluster.Scheduled("a").find("cpu: 200 asked") != std::string::npos; })) << cluster.Scheduled("a");
  cluster.AddPod("later", "");
  ASSERT_TRUE(cluster.AwaitBound("later"));  // every earlier write for a has ended by now
  EXPECT_EQ(cluster.Held(cluster.ClaimOf("a")), "gpu-0 4Gi for a");
  EXPECT_EQ(cluster.log().find("took an allocation back"), std::string::npos) << cluster.log();
  cluster.DeletePod("hog");
  EXPECT_TRUE(cluster.AwaitBound("a")) << cluster.log();
}

TEST(SchedulerFaults, APodWaitsForADeviceThatIsMadeReadyAfterItsAllocation) {
  TestCluster cluster;
  cluster.AddNode("n1", 1, 8, ", bindsToNode: true, bindingConditions: [attached], bindingFailureConditions: [broken]");
  cluster.AddClaim("c", "4Gi");
  Scheduler& scheduler = cluster.StartScheduler(ShortPauses());
  cluster.AddPod("a", "resourceClaimName: c");
  ASSERT_TRUE(cluster.Await([&] { return scheduler.counts().failures > 0; })) << cluster.log();
  const kube::ObjectPtr claim = cluster.ClaimOf("a");
  ASSERT_EQ(cluster.Held(claim), "gpu-0 4Gi for a");
  EXPECT_EQ(cluster.NodeOf("a"), "");
  const std::string share(json::TextOf(claim->json()["status"]["allocation"]["devices"]["results"].Items()[0]["shareID"]));
  EXPECT_OK(cluster.client().Patch(
      kube::types::kResourceClaims, "lab", "c", kube::PatchType::kMerge,
      StrCat(
          R"({"status":{"devices":[{"driver":"gpu.nvidia.com","pool":"n1","device":"gpu-0","shareID":")", share,
          R"(","conditions":[{"type":"attached","status":"True","reason":"Done","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}]}})"),
      "status"));
  EXPECT_TRUE(cluster.AwaitBound("a")) << cluster.log();
}

TEST(SchedulerFaults, APodThatIsGoneBeforeItIsBoundLeavesNothingBehind) {
  std::atomic<bool> once = false;
  TestCluster cluster(1, 8);
  cluster.AddClaim("c", "8Gi");
  cluster.gatekeeper().Set([&](const auto& request, const auto&) -> Status {
    if (IsClaim(request, "status") && !once.exchange(true)) cluster.DeletePod("a");
    return Status();
  });
  cluster.StartScheduler();
  cluster.AddPod("a", "resourceClaimName: c");
  ASSERT_TRUE(cluster.Await([&] { return once && cluster.Get(kube::types::kPods, "a") == nullptr; }));
  EXPECT_TRUE(cluster.Await([&] { return cluster.Held(cluster.Get(kube::types::kResourceClaims, "c")).empty(); }));
  cluster.AddPod("b", "resourceClaimName: c");
  EXPECT_TRUE(cluster.AwaitBound("b")) << cluster.log();
}

TEST(SchedulerFaults, OneEventWithTheBindingAndTheEndOfAPodFreesItsPlace) {
  TestCluster cluster(1, 8);
  Relay& relay = cluster.UseRelay();
  const auto is_watch = [](std::string_view request) {
    return request.starts_with("GET ") && request.find("/pods?") != request.npos && request.find("watch=") != request.npos;
  };
  cluster.gatekeeper().Set([&](const auto& request, const auto&) {
    if (IsBinding(request) && request.name == "a") relay.HoldBack(is_watch);
    return Status();
  });
  constexpr std::string_view kMuchCpu = ", initContainers: [{name: i, image: x, resources: {requests: {cpu: '200'}}}]";
  cluster.AddPod("a", "", kMuchCpu);
  cluster.AddPod("b", "", kMuchCpu);
  Scheduler& scheduler = cluster.StartScheduler();
  ASSERT_TRUE(cluster.Await([&] { return scheduler.counts().bound == 1; })) << cluster.log();
  EXPECT_OK(
      cluster.client().Patch(kube::types::kPods, "lab", "a", kube::PatchType::kMerge, R"({"status":{"phase":"Succeeded"}})", "status"));
  relay.Expire([is_watch, once = false](std::string_view request) mutable { return is_watch(request) && !std::exchange(once, true); });
  relay.HoldBack(nullptr);
  EXPECT_TRUE(cluster.AwaitBound("b")) << cluster.log();
}

}  // namespace
}  // namespace allot::control
