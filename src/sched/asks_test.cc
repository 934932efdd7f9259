#include "sched/asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/remedy.h"
#include "sched/test_world.h"
#include "sched/words.h"

namespace allot::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Exactly(std::string_view name, std::string_view memory, int count = 1, std::string_view more = "") {
  return StrCat("{name: ", name, ", exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: ", count,
                ", capacity: {requests: {memory: ", memory, "}}", more, "}}");
}

// Pod p, whose claim has these requests; `more` of its devices begins with ", ".
std::string PodWith(const std::vector<std::string>& requests, std::string_view more = "") {
  return StrCat("kind: ResourceClaim\nmetadata: {name: c, namespace: lab, uid: u}\nspec: {devices: {requests: [", Join(requests, ", "), "]",
                more, "}}\n---\n", PlainPod("p", ", resourceClaims: [{name: gpu, resourceClaimName: c}]"));
}
constexpr std::string_view kDiffer = ", constraints: [{distinctAttribute: gpu.nvidia.com/productName}]";

PodWithClaims AskingPod(World& world) { return world.cluster().WithClaims(world.cluster().FindPod("lab/p")); }

bool IsSeveral(std::string_view yaml) {
  World world(yaml);
  return SeveralOf(AskingPod(world)).has_value();
}

TEST(Asks, SeveralAreAlike) {
  World counted(PodWith({Exactly("a", "6Gi", 3)}));
  const auto by_count = SeveralOf(AskingPod(counted));
  ASSERT_TRUE(by_count);
  EXPECT_EQ(by_count->count, 3);
  EXPECT_TRUE(by_count->differ);
  EXPECT_EQ(by_count->ask.count, 1);
  EXPECT_EQ(MemoryAsked(by_count->ask), model::MiB(6144));
  World listed(PodWith({Exactly("a", "6Gi"), Exactly("b", "6144Mi")}, kDiffer));
  const auto by_requests = SeveralOf(AskingPod(listed));
  ASSERT_TRUE(by_requests);
  EXPECT_EQ(by_requests->count, 2);
  EXPECT_TRUE(by_requests->differ);
}

TEST(Asks, OneOrSuchAsAreNotAlikeAreNotSeveral) {
  EXPECT_FALSE(IsSeveral(PodWith({Exactly("a", "6Gi")})));
  EXPECT_TRUE(IsSeveral(PodWith({Exactly("a", "6Gi"), Exactly("b", "6Gi")})));
  EXPECT_FALSE(IsSeveral(PodWith({Exactly("a", "6Gi", 2), Exactly("b", "6Gi")})));  // only the first two must differ
  EXPECT_TRUE(IsSeveral(PodWith({Exactly("a", "6Gi", 2), Exactly("b", "6Gi")}, kDiffer)));
  EXPECT_FALSE(IsSeveral(PodWith({Exactly("a", "6Gi"), Exactly("b", "8Gi")}, kDiffer)));
  EXPECT_FALSE(IsSeveral(PodWith({Exactly("a", "6Gi"), Exactly("b", "6Gi", 1, ", selectors: [{cel: {expression: 'true'}}]")}, kDiffer)));
  EXPECT_FALSE(IsSeveral(PodWith({Exactly("a", "6Gi"), Exactly("b", "6Gi"), Exactly("x", "6Gi")},
                                 ", constraints: [{requests: [a, b], distinctAttribute: gpu.nvidia.com/productName}]")));
}

TEST(Asks, FewerLeaveNoRuleAboutThoseThatAreGone) {
  World world(GpuNode("n1", {24, 12}));
  world.Add(PodWith({Exactly("a", "6Gi"), Exactly("b", "6Gi"), Exactly("x", "6Gi")},
                    ", constraints: [{requests: [a, b, x], distinctAttribute: gpu.nvidia.com/productName}]"));
  EXPECT_EQ(world.Run(), "");
  const PodWithClaims asking = AskingPod(world);
  const PodWithClaims fewer = WithCount(asking, *SeveralOf(asking), 2);
  EXPECT_EQ(fewer.claims[0]->claim.requests.size(), 2u);
  EXPECT_TRUE(PlaceOf(world.decider(), *world.cluster().Take(), fewer));
}

TEST(Asks, ARuleAboutThoseThatAreGoneIsNotOneAboutAll) {
  World world(
      PodWith({Exactly("a", "6Gi"), Exactly("b", "6Gi"), Exactly("c", "6Gi")},
              ", constraints: [{requests: [b, c], matchAttribute: gpu.nvidia.com/productName}, {matchAttribute: gpu.nvidia.com/x}]"));
  const PodWithClaims asking = AskingPod(world);
  const auto several = SeveralOf(asking);
  ASSERT_TRUE(several);
  const PodWithClaims with_two = WithCount(asking, *several, 2), with_one = WithCount(asking, *several, 1);
  const auto& two = with_two.claims[0]->claim.constraints;
  ASSERT_EQ(two.size(), 2u);
  EXPECT_THAT(two[0].requests, ElementsAre("b"));
  const auto& one = with_one.claims[0]->claim.constraints;
  ASSERT_EQ(one.size(), 1u);
  EXPECT_THAT(one[0].requests, ElementsAre());
}

TEST(DecideSeveral, SaysHowManyWouldDoAndNeverThatThePodIsInItsOwnWay) {
  World world(GpuNode("n1", {24, 48, 12}));
  world.Add(GpuPod("one", "20Gi"));
  EXPECT_EQ(world.Run(), "one>n1/gpu-0");
  world.Add(PodWith({Exactly("a", "10Gi"), Exactly("b", "10Gi"), Exactly("x", "10Gi")}, kDiffer));
  EXPECT_EQ(world.Run(), "");
  EXPECT_EQ(world.WhyWaits("p"),
            "0/1 nodes fit: n1: 3 different devices asked, only 2 of the 3 fit (gpu-0: 10240 MiB asked, 4096 MiB of 24576 MiB "
            "free (held by lab/one))");
  const NodeReason& reason = world.queue().Find("lab/p")->decision.reasons.at(0);
  EXPECT_EQ(reason.kind, NodeReason::Kind::kSeveralDevices);
  EXPECT_EQ(reason.asked, 3);
  EXPECT_EQ(reason.fit_alone, 2u);
}

TEST(DecideSeveral, MoreThanThereAre) {
  World world(GpuNode("n1", {24, 12}));
  world.Add(PodWith({Exactly("a", "1Gi", 3)}, kDiffer));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("n1: 3 different devices asked, and there are only 2"));
}

TEST(DecideSeveral, ThoseThatWouldDoOneByOneAreExplainedTogether) {
  World world(GpuNode("n1", {24, 24}));
  world.Add(PodWith({Exactly("a", "1Gi", 2)}, kDiffer));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("2 devices asked, 1 of 2 fit alone, but not together with the rest"));
  EXPECT_EQ(world.queue().Find("lab/p")->decision.reasons.at(0).kind, NodeReason::Kind::kDevices);
}

TEST(DecideSeveral, ATaintOrASelectorIsStillTheReasonOfItsDevice) {
  World world(GpuNode("n1", {24, 12}));
  world.Add(PodWith(
      {Exactly("a", "1Gi", 2, ", selectors: [{cel: {expression: \"device.attributes['gpu.nvidia.com'].productName == 'GPU-24'\"}}]")},
      kDiffer));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("only 1 of the 2 fits (gpu-1: selector 1 is false"));
}

TEST(DecideSeveral, SharesThatMayBeOfOneDeviceAreCountedAsShares) {
  World world(GpuNode("n1", {24, 12}));
  world.Add(PodWith({Exactly("a", "10Gi"), Exactly("b", "10Gi"), Exactly("c", "10Gi"), Exactly("d", "10Gi")}));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("n1: 4 shares of devices asked, only 3 fit"));
}

TEST(DecideSeveral, ACountOfOneRequestIsOfDifferentDevices) {
  World world(GpuNode("n1", {24, 12}));
  world.Add(PodWith({Exactly("a", "10Gi", 3)}));
  EXPECT_EQ(world.Run(), "") << "the shares would fit on gpu-0 and gpu-1";
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("n1: 3 different devices asked, and there are only 2"));
}

TEST(RemedySeveral, LessOfEachOrFewer) {
  World world(GpuNode("n1", {24, 48, 12}));
  world.Add(GpuPod("one", "20Gi"));
  EXPECT_EQ(world.Run(), "one>n1/gpu-0");
  world.Add(PodWith({Exactly("a", "10Gi", 3)}, kDiffer));
  EXPECT_EQ(world.Run(), "");
  std::vector<std::string> texts;
  for (const Remedy& remedy : FindRemedies(world.decider(), *world.cluster().Take(), AskingPod(world))) texts.push_back(Words(remedy));
  EXPECT_THAT(texts, ElementsAre("6144 MiB less of each GPU (4096 instead of 10240)", "2 GPUs instead of 3", "lab/one ending",
                                 "a node with free GPUs: 12 GiB, 24 GiB, 48 GiB"));
}

}  // namespace
}  // namespace allot::sched
