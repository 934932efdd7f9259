#include "view/devices.h"

#include "base/test_util.h"
#include "json/json.h"
#include "view/cluster.h"

namespace allot::view {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

kube::ObjectPtr Object(const std::string& text) {
  const Result<json::Document> document = json::Parse(text);
  EXPECT_OK(document.status());
  return kube::CopyObject(document->root());
}

// A slice of the pool `node` with these devices.
kube::ObjectPtr Slice(std::string_view node, int generation, int count, std::string_view devices) {
  return Object(StrCat(R"({"metadata":{"name":")", node, "-", generation, R"("},"spec":{"driver":"gpu.nvidia.com","nodeName":")", node,
                       R"(","pool":{"name":")", node, R"(","generation":)", generation, R"(,"resourceSliceCount":)", count,
                       R"(},"devices":[)", devices, "]}}"));
}

constexpr std::string_view kShared = R"({"name":"gpu-0","allowMultipleAllocations":true,"capacity":{"memory":{"value":"24Gi"}}})";

// A claim that holds gpu-0 of n1. `result`: more of its allocation's result.
kube::ObjectPtr Claim(std::string_view name, std::string_view result) {
  return Object(StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"lab","uid":"uid-)", name,
                       R"(","creationTimestamp":"2020-01-01T00:00:00Z"},"status":{"reservedFor":[{"resource":"pods","name":"train"}],
    "allocation":{"allocationTimestamp":"2020-01-02T00:00:00Z","nodeSelector":{"nodeSelectorTerms":[{"matchFields":[
    {"key":"metadata.name","operator":"In","values":["n1"]}]}]},"devices":{"results":[{"request":"gpu","driver":"gpu.nvidia.com",
    "pool":"n1","device":"gpu-0")",
                       result, "}]}}}}"));
}

constexpr std::string_view kSixGi = R"(,"shareID":"s","consumedCapacity":{"memory":"6Gi"})";

std::vector<Device> All(const Lists& lists) {
  std::vector<LeftOut> left_out;
  return DevicesOf(ClusterOf(lists, left_out), StatesOf(lists.nodes), {});
}

TEST(Devices, AShareHasItsHolderItsAmountAndItsTime) {
  Lists lists;
  lists.slices.objects = {Slice("n1", 1, 1, kShared)};
  lists.claims.objects = {Claim("a", kSixGi)};
  const std::vector<Device> devices = All(lists);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].Name(), "n1/gpu-0");
  EXPECT_EQ(devices[0].used, 6144);
  EXPECT_EQ(devices[0].Free(), 18432);
  EXPECT_EQ(devices[0].capacity[0].held.Canonical(), "6Gi");
  ASSERT_EQ(devices[0].holders.size(), 1u);
  const Holder& holder = devices[0].holders[0];
  EXPECT_EQ(StrCat(holder.namespace_name, "/", holder.claim), "lab/a");
  EXPECT_EQ(holder.since, "2020-01-02T00:00:00Z");
  EXPECT_TRUE(holder.is_share);
  EXPECT_THAT(holder.pods, ElementsAre("train"));
}

TEST(Devices, AClaimWithoutAShareHoldsTheWholeDevice) {
  Lists lists;
  lists.slices.objects = {Slice("n1", 1, 1, kShared)};
  lists.claims.objects = {Claim("a", "")};
  EXPECT_EQ(All(lists)[0].used, 24576);
  EXPECT_FALSE(All(lists)[0].overcommitted);
  lists.claims.objects.push_back(Claim("b", kSixGi));
  EXPECT_TRUE(All(lists)[0].overcommitted);
}

TEST(Devices, AdminAccessHoldsNothing) {
  Lists lists;
  lists.slices.objects = {Slice("n1", 1, 1, kShared)};
  lists.claims.objects = {Claim("a", R"(,"adminAccess":true)")};
  EXPECT_EQ(All(lists)[0].used, 0);
  EXPECT_THAT(All(lists)[0].holders, IsEmpty());
  lists.slices.objects.clear();
  EXPECT_THAT(All(lists), IsEmpty());
}

TEST(Devices, OnlyTheNewestGenerationOfAPoolIsOffered) {
  Lists lists;
  lists.slices.objects = {Slice("n1", 1, 1, kShared), Slice("n1", 2, 2, R"({"name":"gpu-1"})")};
  lists.claims.objects = {Claim("a", kSixGi)};
  const std::vector<Device> devices = All(lists);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_TRUE(devices[0].gone);  // gpu-0, which a claim holds
  EXPECT_EQ(devices[0].node, "n1");
  EXPECT_TRUE(devices[1].offered);
  ASSERT_TRUE(devices[1].incomplete);
  EXPECT_EQ(devices[1].incomplete->present, 1u);
  EXPECT_EQ(devices[1].incomplete->wanted, 2u);
}

TEST(Devices, WhatIsHeldIsNotCalledGoneWhereSlicesAreNotSeen) {
  Lists lists;
  lists.claims.objects = {Claim("a", kSixGi)};
  std::vector<LeftOut> left_out;
  const std::vector<Device> devices = WithMemory(DevicesOf(ClusterOf(lists, left_out), {}, {false, true}));
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_FALSE(devices[0].gone);
  EXPECT_FALSE(devices[0].IsSeen());
  EXPECT_EQ(devices[0].Free(), std::nullopt);
}

TEST(Devices, AClaimThatCannotBeReadIsReported) {
  Lists lists;
  lists.claims.objects = {Claim("a", R"(,"shareID":"s","consumedCapacity":{"memory":"lots"})"), Claim("b", kSixGi)};
  std::vector<LeftOut> left_out;
  const sched::Cluster cluster = ClusterOf(lists, left_out);
  EXPECT_THAT(left_out, ElementsAre(testing::AllOf(Field(&LeftOut::kind, "claim"), Field(&LeftOut::key, "lab/a"))));
  EXPECT_EQ(cluster.Claims().size(), 1u);
}

TEST(Devices, APoolWithMoreSlicesThanItSaysOffersNothingAsInTheScheduler) {
  Lists lists;
  lists.slices.objects = {Slice("n1", 1, 1, kShared),
                          Object(R"({"metadata":{"name":"extra"},"spec":{"driver":"gpu.nvidia.com","nodeName":"n1","pool":{"name":"n1",
    "generation":1,"resourceSliceCount":1},"devices":[{"name":"gpu-1"}]}})")};
  const std::vector<Device> devices = All(lists);
  ASSERT_EQ(devices.size(), 2u);
  ASSERT_TRUE(devices[0].incomplete);
  EXPECT_EQ(devices[0].incomplete->present, 2u);
  EXPECT_EQ(devices[0].Free(), 0);
}

}  // namespace
}  // namespace allot::view
