// Claims that several Pods name, and those that were allocated before their Pod was decided.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/test_world.h"

namespace allot::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string GpuClaim(std::string_view name, std::string_view memory, std::string_view status = "") {
  return StrCat(
      "kind: ResourceClaim\nmetadata: {name: ", name, ", namespace: lab, uid: claim-", name,
      "}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: ",
      "{requests: {memory: ", memory, "}}}}]}}\n", status, "---\n");
}

// A share of gpu-0 of the node, for the Pod.
std::string Held(std::string_view node, std::string_view memory, std::string_view pod) {
  return StrCat("status: {reservedFor: [{resource: pods, name: ", pod, ", uid: pod-", pod,
                "}], allocation: {nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [", node,
                "]}]}]}, devices: {results: [{request: gpu, driver: gpu.nvidia.com, pool: ", node,
                ", device: gpu-0, shareID: s, consumedCapacity: {memory: ", memory, "}}]}}}\n");
}

std::string PodWith(std::string_view name, std::initializer_list<std::string_view> claims) {
  std::string list;
  for (const std::string_view claim : claims) {
    list += StrCat(list.empty() ? "" : ", ", "{name: ", claim, ", resourceClaimName: ", claim, "}");
  }
  return PlainPod(name, StrCat(", resourceClaims: [", list, "]"));
}

TEST(SharedClaim, APodThatSharesAClaimToBeFreedDoesNotOvertake) {
  World world(GpuNode("n1", {24}) + GpuClaim("s", "20Gi"));
  world.Add(PodWith("p1", {"s"}));
  EXPECT_EQ(world.Run(), "p1>n1/gpu-0");
  world.Add(GpuPod("a", "22Gi"));
  world.Add(PodWith("p2", {"s"}));  // s would stay for it when p1 ends, and for the next one
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p2"), HasSubstr("kept for lab/a"));
}

TEST(SharedClaim, IsFreeWhenAllItsPodsHaveEnded) {
  World world(GpuNode("n1", {24}) + GpuClaim("s", "20Gi"));
  world.Add(PodWith("p1", {"s"}));
  world.Add(PodWith("p2", {"s"}));
  EXPECT_EQ(world.Run(), "p1>n1/gpu-0 p2>n1");
  world.Add(GpuPod("a", "22Gi"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.queue().Find("lab/a")->plan->ends, ElementsAre("lab/p1", "lab/p2"));
}

TEST(SharedClaim, IsNotTakenToAnotherNodeThanThatOfThePlanAhead) {
  World world(GpuNode("n1", {48}) + GpuNode("n2", {8}) + GpuClaim("s", "4Gi") + GpuClaim("large", "40Gi"));
  world.Add(GpuPod("first", "48Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(PodWith("a", {"s", "large"}));
  world.Add(PodWith("p", {"s"}));  // would fit on n2, and a could never be on n1 with it
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("n2: has room, but is kept for lab/a"));
  world.End("first");
  EXPECT_EQ(world.Run(), "a>n1/gpu-0/gpu-0 p>n1");
}

TEST(SharedClaim, MayGoFirstWhereThePlanAheadHasItToo) {
  World world(GpuNode("n1", {48, 8}) + GpuClaim("s", "4Gi") + GpuClaim("large", "48Gi"));
  world.Add(GpuPod("first", "48Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(PodWith("a", {"s", "large"}));
  world.Add(PodWith("p", {"s"}));
  world.Add(GpuPod("q", "4Gi"));  // what p got for s is not asked for a second time
  EXPECT_EQ(world.Run(), "p>n1/gpu-1 q>n1/gpu-1");
  world.End("first");
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
}

// Of two claims one was written before the scheduler was killed, and the GPU of the other one is gone.
class HalfWritten : public testing::Test {
 protected:
  HalfWritten() : world_(GpuNode("n1", {12}) + GpuClaim("c1", "10Gi", Held("n1", "10Gi", "a")) + GpuClaim("c2", "10Gi")) {
    world_.Add(PodWith("a", {"c1", "c2"}));
  }
  World world_;
};

TEST_F(HalfWritten, WhatThePodHoldsItselfIsNotFreeForItWhenAllOthersHaveEnded) {
  const std::shared_ptr<const Snapshot> snapshot = world_.cluster().Take();
  const PodWithClaims asking = world_.cluster().WithClaims(world_.cluster().FindPod("lab/a"));
  const Result<bool> fits = world_.decider().FitsWhenEmpty(*snapshot, *snapshot->Find("n1"), asking);
  ASSERT_TRUE(fits.ok());
  EXPECT_FALSE(*fits);
}

TEST_F(HalfWritten, NoPodWaitsForItsOwnEnd) {
  EXPECT_EQ(world_.Run(), "");
  EXPECT_FALSE(world_.queue().Find("lab/a")->plan);
}

TEST_F(HalfWritten, APlanLeavesThePodWhatItHas) {
  world_.Add(GpuNode("n1", {12, 12}));
  world_.Add(GpuPod("other", "10Gi"));
  world_.cluster().RemovePod("lab", "a");
  EXPECT_EQ(world_.Run(), "other>n1/gpu-1");
  world_.Add(PodWith("a", {"c1", "c2"}));
  EXPECT_EQ(world_.Run(), "");
  ASSERT_TRUE(world_.queue().Find("lab/a")->plan);
  EXPECT_THAT(world_.queue().Find("lab/a")->plan->ends, ElementsAre("lab/other"));
}

TEST(SharedClaim, APodMayWaitForTheEndOfAnEarlierPodOfItsName) {
  World world(GpuNode("n1", {12}) + GpuClaim("old", "10Gi", Held("n1", "10Gi", "a")) + GpuClaim("new", "10Gi"));
  world.Add(PodWith("a", {"new"}));
  EXPECT_EQ(world.Run(), "");
  ASSERT_TRUE(world.queue().Find("lab/a")->plan);
  EXPECT_THAT(world.queue().Find("lab/a")->plan->ends, ElementsAre("lab/a"));
}

}  // namespace
}  // namespace allot::sched
