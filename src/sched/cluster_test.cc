#include "sched/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/test_world.h"
#include "sched/words.h"

namespace allot::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// The claim "shared", of 20Gi; `status`: as YAML, or nothing.
std::string Shared(std::string_view status = "") {
  return StrCat(
      "kind: ResourceClaim\nmetadata: {name: shared, namespace: lab, uid: claim-shared}\nspec: {devices: {requests: [{name: gpu, exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {memory: 20Gi}}}}]}}\n",
      status, "---\n");
}

// As it is when it was written for the Pod. `share`: the name of the share.
std::string SharedFor(std::string_view pod, std::string_view device, std::string_view share = "s") {
  return Shared(StrCat("status: {reservedFor: [{resource: pods, name: ", pod,
                       ", uid: u}], allocation: {nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, "
                       "values: [n1]}]}]}, devices: {results: [{request: gpu, driver: gpu.nvidia.com, pool: n1, device: ",
                       device, ", shareID: ", share, ", consumedCapacity: {memory: 20Gi}}]}}}\n"));
}

constexpr std::string_view kUsesShared = ", resourceClaims: [{name: gpu, resourceClaimName: shared}]";

// The name of the share that is assumed for it.
std::string ShareOf(World& world) { return world.cluster().FindClaim("lab/shared")->claim.allocation->results.at(0).share_id; }

TEST(Cluster, PodsThatCameBeforeTheirNodeCountThere) {
  World world(PlainPod("early", ", nodeName: n1") + PlainPod("other", ", nodeName: n2") + GpuNode("n1", {24}));
  const auto pods_on = [&](std::string_view node) { return world.cluster().Take()->Find(node)->pods.size(); };
  EXPECT_EQ(pods_on("n1"), 1u);
  world.Add(GpuNode("n2", {24}));
  EXPECT_EQ(pods_on("n2"), 1u);
  EXPECT_EQ(pods_on("n1"), 1u);
  world.cluster().RemoveNode("n1");
  EXPECT_EQ(world.cluster().Take()->Find("n1"), nullptr);
  world.Add(GpuNode("n1", {24}));
  EXPECT_EQ(pods_on("n1"), 1u);
}

TEST(Cluster, WhatWasWrittenForAnotherPodAndTakenBackDoesNotEndAnAssumption) {
  World world(GpuNode("n1", {24}));
  world.Add(Shared());
  world.Add(PlainPod("a", kUsesShared));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
  world.cluster().SetAside("lab/a");  // refused
  world.Add(PlainPod("b", kUsesShared));
  EXPECT_EQ(world.Run(), "b>n1/gpu-0");
  world.Add(SharedFor("a", "gpu-0"));  // only now do the events come: of the write for a,
  world.Add(Shared());                 // and of its end
  world.Add(GpuPod("d", "20Gi"));
  EXPECT_EQ(world.Run(), "");
}

TEST(Cluster, WhatWasWrittenForAnotherPodCountsBesideWhatIsAssumed) {
  World world(GpuNode("n1", {24, 24}));
  world.Add(Shared());
  world.Add(PlainPod("b", kUsesShared));
  EXPECT_EQ(world.Run(), "b>n1/gpu-0");
  world.Add(SharedFor("a", "gpu-1"));
  world.Add(GpuPod("d", "20Gi"));
  EXPECT_EQ(world.Run(), "");
  world.Add(SharedFor("b", "gpu-0", ShareOf(world)));  // now it is as it was decided
  EXPECT_EQ(world.Run(), "d>n1/gpu-1");
}

TEST(Cluster, AnAllocationOfAnotherDecisionForAPodOfTheNameDoesNotEndAnAssumption) {
  World world(GpuNode("n1", {24, 24}));
  world.Add(Shared());
  world.Add(PlainPod("a", kUsesShared));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
  world.Add(SharedFor("a", "gpu-1"));  // for the Pod that had the name before,
  world.Add(Shared());                 // and taken back
  world.Add(GpuPod("d", "20Gi"));
  world.Add(GpuPod("e", "20Gi"));
  EXPECT_EQ(world.Run(), "d>n1/gpu-1");
}

TEST(Cluster, AnOlderVersionOfAClaimChangesNothing) {
  World world(GpuNode("n1", {24}));
  const auto versioned = [](std::string text, std::string_view version) {
    return text.replace(text.find("uid: claim-shared"), 0, StrCat("resourceVersion: '", version, "', "));
  };
  world.Add(versioned(SharedFor("a", "gpu-0"), "12"));
  world.Add(versioned(Shared(), "9"));  // numbers, not texts
  world.Add(GpuPod("d", "20Gi"));
  EXPECT_EQ(world.Run(), "");
  world.Add(versioned(Shared(), "13"));
  EXPECT_EQ(world.Run(), "d>n1/gpu-0");
}

// A write for the Pod may be under way: only the binder knows how it ends.
TEST(Cluster, WhatIsAssumedOfAClaimOutlivesThePodUntilItIsForgotten) {
  const std::string_view ends[] = {
      "",  // removed
      "kind: Pod\nmetadata: {name: a, namespace: lab, uid: other}\nspec: {schedulingGates: [{name: wait}], containers: [{name: c}]}\n",
      "kind: Pod\nmetadata: {name: a, namespace: lab, uid: pod-a}\nspec: {nodeName: n1, containers: [{name: c}]}\nstatus: {phase: "
      "Failed}\n",
  };
  for (const std::string_view end : ends) {
    World world(GpuNode("n1", {24}));
    world.Add(Shared());
    world.Add(PlainPod("a", kUsesShared));
    EXPECT_EQ(world.Run(), "a>n1/gpu-0");
    const PodPtr pod = world.cluster().FindPod("lab/a");
    if (end.empty()) world.cluster().RemovePod("lab", "a");
    world.Add(end);
    world.Add(GpuPod("b", "20Gi"));
    EXPECT_EQ(world.Run(), "") << end;
    world.cluster().Forget(*pod);
    EXPECT_EQ(world.Run(), "b>n1/gpu-0") << end;
  }
}

TEST(Cluster, WhatWasWrittenCountsByItsClaimsAloneAndThePodStaysWhereItIs) {
  World world(GpuNode("n1", {24, 24}));
  world.Add(Shared());
  world.Add(PlainPod("a", StrCat(kUsesShared, ", overhead: {cpu: '8'}")));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
  world.Add(SharedFor("a", "gpu-0", ShareOf(world)));
  world.cluster().Written(*world.cluster().FindPod("lab/a"));
  world.Add(PlainPod("b", ", overhead: {cpu: '1'}"));  // the API has not said yet that a is on n1
  EXPECT_EQ(world.Run(), "");
  world.Add(Shared());  // and taken back by another scheduler
  world.Add(GpuPod("d", "24Gi"));
  world.Add(GpuPod("e", "24Gi"));
  EXPECT_EQ(world.Run(), "d>n1/gpu-0 e>n1/gpu-1");
}

constexpr std::string_view kAsksForTwo =
    "kind: Pod\nmetadata: {name: p, namespace: lab, uid: pod-p}\n"
    "spec: {containers: [{name: c, resources: {limits: {cpu: '1', nvidia.com/gpu: '2', example.com/nic: '1'}}}]}\n---\n";

PodWithClaims AskingPod(World& world) { return world.cluster().WithClaims(world.cluster().FindPod("lab/p")); }

TEST(Cluster, AmountsThatAClassStandsForAreToBeClaimed) {
  World world(StrCat(GpuNode("n1", {24, 24}), kAsksForTwo));
  EXPECT_THAT(AskingPod(world).to_claim, IsEmpty());
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("has no example.com/nic"));
  world.Add(
      "{kind: DeviceClass, metadata: {name: b, creationTimestamp: '2026-01-02T00:00:00Z'}, spec: {extendedResourceName: nvidia.com/gpu}}\n"
      "---\n"
      "{kind: DeviceClass, metadata: {name: a, creationTimestamp: '2026-01-02T00:00:00Z'}, spec: {extendedResourceName: nvidia.com/gpu}}\n"
      "---\n"
      "{kind: DeviceClass, metadata: {name: old, creationTimestamp: '2026-01-01T00:00:00Z'}, spec: {extendedResourceName: "
      "nvidia.com/gpu}}\n");
  EXPECT_THAT(AskingPod(world).to_claim, ElementsAre(Pair("nvidia.com/gpu", "a")));
  EXPECT_EQ(Words(AskingPod(world).obstacle), "its claim for nvidia.com/gpu is not made yet");
  EXPECT_EQ(world.Run(), "");
  // A device plugin has them: they are the node's.
  world.Add(
      "{kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: '8', pods: '9', nvidia.com/gpu: '2', example.com/nic: '1'}}}\n");
  EXPECT_THAT(AskingPod(world).to_claim, IsEmpty());
  EXPECT_EQ(world.Run(), "p>n2");
  world.cluster().RemoveNode("n2");
  EXPECT_THAT(AskingPod(world).to_claim, ElementsAre(Pair("nvidia.com/gpu", "a")));
}

// A Pod with a claim for its two GPUs.
constexpr std::string_view kHasClaim =
    "kind: Pod\nmetadata: {name: p, namespace: lab, uid: pod-p}\n"
    "spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '2'}}}]}\n"
    "status: {extendedResourceClaimStatus: {resourceClaimName: p-x, requestMappings: [{containerName: c, resourceName: nvidia.com/gpu, "
    "requestName: r}]}}\n---\n";

std::string ClassForGpus(std::string_view name, std::string_view created = "2026-01-01T00:00:00Z") {
  return StrCat("{kind: DeviceClass, metadata: {name: ", name, ", creationTimestamp: '", created,
                "'}, spec: {extendedResourceName: nvidia.com/gpu}}\n---\n");
}

std::string ExtendedClaim(std::string_view owner, std::string_view class_name, std::string_view status = "") {
  return StrCat("kind: ResourceClaim\nmetadata: {name: p-x, namespace: lab, uid: claim-x, ownerReferences: [{kind: Pod, name: ", owner,
                ", controller: true}]}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: ", class_name,
                ", allocationMode: ExactCount, count: 2}}]}}\n", status);
}

TEST(Cluster, AClaimForAmountsCountsInsteadOfThem) {
  World world(StrCat(GpuNode("n1", {24, 24}), ClassForGpus("whole"), kHasClaim));
  // The claim that its status names is gone: it is made again.
  EXPECT_THAT(AskingPod(world).to_claim, ElementsAre(Pair("nvidia.com/gpu", "whole")));
  world.Add(ExtendedClaim("other", "whole"));
  EXPECT_EQ(Words(AskingPod(world).obstacle), "claim lab/p-x was not made for this Pod");
  world.Add(ExtendedClaim("p", "whole"));
  EXPECT_EQ(Words(AskingPod(world).obstacle), "");
  EXPECT_EQ(world.Run(), "p>n1/gpu-0/gpu-1");
  // Of a Pod that is somewhere it is too late.
  std::string placed(kHasClaim);
  world.cluster().RemoveClaim("lab", "p-x");
  world.Add(placed.replace(placed.find("spec: {"), 7, "spec: {nodeName: n1, "));
  EXPECT_THAT(AskingPod(world).to_claim, IsEmpty());
  EXPECT_EQ(Words(AskingPod(world).obstacle), "claim lab/p-x does not exist");
}

TEST(Cluster, AClaimThatWasMadeForOtherClassesIsToBeMadeAgainUnlessItIsAllocated) {
  World world(StrCat(GpuNode("n1", {24, 24}), ClassForGpus("whole"), kHasClaim, ExtendedClaim("p", "whole")));
  EXPECT_THAT(AskingPod(world).to_claim, IsEmpty());
  world.Add(ClassForGpus("newer", "2026-01-02T00:00:00Z"));
  EXPECT_THAT(AskingPod(world).to_claim, ElementsAre(Pair("nvidia.com/gpu", "newer")));
  world.Add(
      ExtendedClaim("p", "whole",
                    "status: {allocation: {devices: {results: [{request: r, driver: gpu.nvidia.com, pool: n1, device: gpu-0, shareID: "
                    "s, consumedCapacity: {memory: 24Gi}}]}}}\n"));
  EXPECT_THAT(AskingPod(world).to_claim, IsEmpty());
  EXPECT_EQ(AskingPod(world).claims.size(), 1u);
}

TEST(Cluster, AResourceForWhichAClassComesLaterIsClaimedToo) {
  std::string pod(kHasClaim);
  pod.replace(pod.find("{nvidia.com/gpu: '2'}"), 21, "{nvidia.com/gpu: '2', example.com/nic: '1'}");
  World world(StrCat(GpuNode("n1", {24, 24}), ClassForGpus("whole"), pod, ExtendedClaim("p", "whole")));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("has no example.com/nic"));
  world.Add("{kind: DeviceClass, metadata: {name: nic}, spec: {extendedResourceName: example.com/nic}}\n");
  EXPECT_THAT(AskingPod(world).to_claim, ElementsAre(Pair("example.com/nic", "nic"), Pair("nvidia.com/gpu", "whole")));
}

TEST(Cluster, APodThatIsSetAsideKeepsItsPlaceInTheOrder) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("a", "20Gi"));
  world.Add(GpuPod("b", "20Gi"));
  world.Add(GpuPod("c", "20Gi"));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
  world.cluster().SetAside("lab/a");
  EXPECT_EQ(world.Run(), "b>n1/gpu-0");
  world.Add(GpuPod("a", "20Gi"));  // an event meanwhile
  EXPECT_EQ(world.Run(), "");
  EXPECT_EQ(world.WhyWaits("a"), "does not wait");
  world.cluster().TakeBack("lab/a");
  EXPECT_EQ(world.Run(), "");
  world.End("b");
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
  EXPECT_THAT(world.WhyWaits("c"), HasSubstr("does not fit"));
}

TEST(Cluster, BugTheSameFeaturesWereTakenForNewOnes) {
  Cluster cluster;
  EXPECT_FALSE(cluster.SetFeatures(alloc::Features::Defaults()));
  alloc::Features features = alloc::Features::Defaults();
  features.device_taints = false;
  EXPECT_TRUE(cluster.SetFeatures(features));
  EXPECT_FALSE(cluster.SetFeatures(features));
}

}  // namespace
}  // namespace allot::sched
