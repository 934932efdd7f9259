#include "sched/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/test_world.h"

namespace allot::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ZonedNode(std::string_view name, std::string_view zone, int pods) {
  return StrCat("kind: Node\nmetadata: {name: ", name, ", labels: {zone: ", zone,
                "}}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '", pods, "'}}\n---\n");
}

TEST(Plan, ATopologySpreadThatWouldNotHoldIsNoPlan) {
  // Zone a has three Pods of the kind and zone b none: with maxSkew 1 the next one cannot be in a, even if a Pod there ends.
  World world(ZonedNode("a1", "a", 3) + ZonedNode("b1", "b", 0));
  for (const char* name : {"w1", "w2", "w3"}) world.Add(PlainPod(name, ", nodeSelector: {zone: a}", ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "w1>a1 w2>a1 w3>a1");
  world.Add(PlainPod("spread",
                     ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
                     "{matchLabels: {app: w}}}]",
                     ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "");
  ASSERT_TRUE(world.queue().Find("lab/spread")->plan);
  EXPECT_THAT(world.queue().Find("lab/spread")->plan->ends, testing::SizeIs(3));  // not one: two that stay are too many
}

TEST(Plan, AnAntiAffinityToAPodElsewhereIsNoPlanAndBlocksNoPod) {
  World world(ZonedNode("a1", "a", 10) + GpuNode("a2", {24}) +
              "kind: Node\nmetadata: {name: a2, labels: {zone: a}}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '110'}}\n");
  world.Add(PlainPod("web", ", nodeSelector: {zone: a}", ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "web>a1");
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>a2/gpu-0");
  world.Add(GpuPod("loner", "24Gi",
                   ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
                   "{matchLabels: {app: w}}}]}}"));
  world.Add(GpuPod("small", "4Gi"));
  EXPECT_EQ(world.Run(), "small>a2/gpu-0");
  EXPECT_FALSE(world.queue().Find("lab/loner")->plan);
  EXPECT_FALSE(world.queue().Find("lab/loner")->never);  // web may end
}

TEST(Plan, BugAPodWithAWholeGpuCountedAsOneThatHoldsNothing) {
  World world(GpuNode("n1", {24}) +
              "kind: ResourceSlice\nmetadata: {name: n1-whole}\nspec: {driver: gpu.nvidia.com, nodeName: n1, pool: {name: n1-whole, "
              "generation: 1, resourceSliceCount: 1}, devices: [{name: whole-0, capacity: {memory: {value: 24Gi}}}]}\n");
  world.Add(GpuPod("whole", "20Gi"));
  world.Add(GpuPod("part", "20Gi"));
  ASSERT_EQ(world.Run(), "whole>n1/whole-0 part>n1/gpu-0");
  world.Add(GpuPod("large", "22Gi"));  // fits when either has ended
  EXPECT_EQ(world.Run(), "");
  ASSERT_TRUE(world.queue().Find("lab/large")->plan);
  EXPECT_THAT(world.queue().Find("lab/large")->plan->ends, ElementsAre("lab/part"));
}

TEST(Plan, APodThatItsAffinityNeedsStays) {
  World world(GpuNode("n1", {24}));
  world.Add(PlainPod("leader", "", ", labels: {app: leader}"));
  world.Add(GpuPod("first", "12Gi"));
  EXPECT_EQ(world.Run(), "leader>n1 first>n1/gpu-0");
  world.Add(GpuPod("large", "24Gi",
                   ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, "
                   "labelSelector: {matchLabels: {app: leader}}}]}}"));
  EXPECT_EQ(world.Run(), "");
  ASSERT_TRUE(world.queue().Find("lab/large")->plan);
  EXPECT_THAT(world.queue().Find("lab/large")->plan->ends, ElementsAre("lab/first"));
  world.Add(GpuPod("small", "6Gi"));  // without end others like it would come
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("small"), HasSubstr("kept for lab/large"));
  world.End("first");
  EXPECT_EQ(world.Run(), "large>n1/gpu-0");
}

TEST(Plan, ManyEmptierNodesWithoutDevicesHideNoPlan) {
  std::string nodes = GpuNode("gpu", {24});
  for (int i = 0; i < 40; ++i) nodes += ZonedNode(StrCat("cpu", i), "a", 110);
  World world(nodes);
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>gpu/gpu-0");
  world.Add(GpuPod("large", "24Gi"));
  EXPECT_EQ(world.Run(), "");
  ASSERT_TRUE(world.queue().Find("lab/large")->plan);
  EXPECT_THAT(world.queue().Find("lab/large")->plan->ends, ElementsAre("lab/first"));
}

TEST(Plan, AnotherPodOfTheNameIsNotTheOneThatWasToEnd) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("set-0", "12Gi"));
  world.Add(GpuPod("set-1", "12Gi"));
  EXPECT_EQ(world.Run(), "set-0>n1/gpu-0 set-1>n1/gpu-0");
  world.Add(GpuPod("large", "24Gi"));
  EXPECT_EQ(world.Run(), "");
  world.End("set-0");
  world.Add(GpuPod("set-0", "12Gi", "", "-again"));  // it would fit, and large would never start
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("set-0"), HasSubstr("kept for lab/large"));
  EXPECT_THAT(world.queue().Find("lab/large")->plan->ends, ElementsAre("lab/set-1"));
  world.End("set-1");
  EXPECT_EQ(world.Run(), "large>n1/gpu-0");
}

TEST(Plan, StaysWhileTheClaimOfAPodThatIsGoneIsStillHeld) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(
      "kind: ResourceClaim\nmetadata: {name: first-gpu, namespace: lab, uid: claim-first}\nspec: {devices: {requests: [{name: gpu, "
      "exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}\nstatus: {reservedFor: [{resource: pods, name: first, uid: o}], "
      "allocation: {devices: {results: [{request: gpu, driver: gpu.nvidia.com, pool: n1, device: gpu-0, shareID: s, consumedCapacity: "
      "{memory: 20Gi}}]}}}\n");
  world.Add(GpuPod("large", "24Gi"));
  EXPECT_EQ(world.Run(), "");
  world.cluster().RemovePod("lab", "first");
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.queue().Find("lab/large")->plan->ends, ElementsAre("lab/first"));
  // Another Pod of the same name has a claim of its own, and may not take the freed device.
  world.Add(
      "kind: Pod\nmetadata: {name: first, namespace: lab, uid: again}\nspec: {containers: [{name: c}], resourceClaims: [{name: gpu, "
      "resourceClaimName: new}]}\n");
  world.Add(
      "kind: ResourceClaim\nmetadata: {name: new, namespace: lab, uid: claim-new}\nspec: {devices: {requests: [{name: gpu, exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {memory: 20Gi}}}}]}}\n");
  EXPECT_EQ(world.Run(), "");
  world.cluster().RemoveClaim("lab", "first-gpu");
  EXPECT_EQ(world.Run(), "large>n1/gpu-0");
}

}  // namespace
}  // namespace allot::sched
