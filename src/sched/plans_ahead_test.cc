#include "sched/plans_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/test_world.h"

namespace allot::sched {
namespace {

using testing::ElementsAre;

// Decides Pods of a World one by one, without a Queue.
class PlansAheadTest : public testing::Test {
 protected:
  void Build(std::string_view yaml) {
    world_ = std::make_unique<World>(yaml);
    ahead_ = std::make_unique<PlansAhead>(world_->decider(), Strategy::kSpread);
  }
  void Ask(std::string_view pod) {
    request_ = world_->cluster().WithClaims(world_->cluster().FindPod(StrCat("lab/", pod)));
    ahead_->Ask(request_);
  }
  // "gpu-0": the device that the asking Pod gets on the node; else "kept for" a Pod, or "does not fit".
  std::string Try(std::string_view node_name) {
    const auto snapshot = world_->cluster().Take();
    const size_t index = snapshot->IndexOf(node_name);
    auto fits = world_->decider().DecideOn(*snapshot, snapshot->nodes[index], request_, Strategy::kSpread);
    if (!fits.ok() || !*fits) return "does not fit";
    const std::string kept = ahead_->Veto(*snapshot, *snapshot->nodes[index], **fits);
    return kept.empty() ? std::string((**fits)[0].results[0].device) : StrCat("kept for ", kept);
  }
  std::optional<Plan> MakePlanFor(std::string_view pod) {
    Ask(pod);
    std::optional<Plan>& plan = plans_[std::string(pod)];
    ahead_->Make(plan, world_->cluster(), *world_->cluster().Take());
    return plan;
  }

  std::unique_ptr<World> world_;
  std::unique_ptr<PlansAhead> ahead_;
  PodWithClaims request_;
  std::map<std::string, std::optional<Plan>> plans_;
};

TEST_F(PlansAheadTest, WithoutPlansEveryPlacementIsAllowed) {
  Build(GpuNode("n1", {24}));
  world_->Add(GpuPod("a", "24Gi"));
  Ask("a");
  EXPECT_EQ(Try("n1"), "gpu-0");
}

TEST_F(PlansAheadTest, APlacementThatBreaksAPlanIsRefusedWithThePodThatItDelays) {
  Build(GpuNode("n1", {24}));
  world_->Add(GpuPod("holder", "12Gi"));
  ASSERT_EQ(world_->Run(), "holder>n1/gpu-0");
  world_->Add(GpuPod("large", "20Gi") + GpuPod("small", "4Gi") + GpuPod("half", "12Gi"));
  const std::optional<Plan> plan = MakePlanFor("large");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->node, "n1");
  EXPECT_THAT(plan->ends, ElementsAre("lab/holder"));
  Ask("half");
  EXPECT_EQ(Try("n1"), "kept for lab/large");
  Ask("small");
  EXPECT_EQ(Try("n1"), "gpu-0");  // 20 GiB are left when the holder has ended
}

TEST_F(PlansAheadTest, AnotherDeviceIsTakenWhereThatLeavesThePlanIntact) {
  Build(GpuNode("n1", {24, 25}));
  world_->Add(GpuPod("one", "20Gi"));
  world_->Add(GpuPod("two", "12Gi"));
  ASSERT_EQ(world_->Run(), "one>n1/gpu-0 two>n1/gpu-1");
  world_->Add(GpuPod("large", "25Gi") + GpuPod("small", "4Gi"));
  ASSERT_THAT(MakePlanFor("large")->ends, ElementsAre("lab/two"));
  Ask("small");
  EXPECT_EQ(Try("n1"), "gpu-0");  // spreading, it would be gpu-1
}

TEST_F(PlansAheadTest, APlanNamesTheEndsOfThePlansAheadOnItsNode) {
  Build(GpuNode("n1", {24}));
  world_->Add(GpuPod("one", "10Gi") + GpuPod("two", "12Gi"));
  ASSERT_EQ(world_->Run(), "one>n1/gpu-0 two>n1/gpu-0");
  world_->Add(GpuPod("a", "13Gi") + GpuPod("b", "11Gi"));
  ASSERT_THAT(MakePlanFor("a")->ends, ElementsAre("lab/two"));
  EXPECT_THAT(MakePlanFor("b")->ends, ElementsAre("lab/one", "lab/two"));
  EXPECT_EQ(ahead_->CountOf(0), 2u);
  EXPECT_EQ(ahead_->CountOf(1), 0u);
}

TEST_F(PlansAheadTest, APlanIsKeptUntilItsNodeIsGone) {
  Build(GpuNode("n1", {24}) + GpuNode("n2", {8}));
  world_->Add(GpuPod("holder", "20Gi"));
  ASSERT_EQ(world_->Run(), "holder>n1/gpu-0");
  world_->Add(GpuPod("a", "20Gi"));
  Plan plan = *MakePlanFor("a");
  PlansAhead next(world_->decider(), Strategy::kSpread);
  next.Ask(request_);
  EXPECT_TRUE(next.Keep(plan, world_->cluster(), *world_->cluster().Take()));
  EXPECT_EQ(next.CountOf(0), 1u);
  world_->cluster().RemoveNode("n1");
  PlansAhead last(world_->decider(), Strategy::kSpread);
  last.Ask(request_);
  EXPECT_FALSE(last.Keep(plan, world_->cluster(), *world_->cluster().Take()));
  EXPECT_EQ(last.CountOf(0), 0u);
}

TEST_F(PlansAheadTest, APodThatFitsNowhereHasNoPlanAndDelaysNoPod) {
  Build(GpuNode("n1", {24}));
  world_->Add(GpuPod("huge", "80Gi") + GpuPod("a", "24Gi"));
  EXPECT_FALSE(MakePlanFor("huge"));
  Ask("a");
  EXPECT_EQ(Try("n1"), "gpu-0");
}

}  // namespace
}  // namespace allot::sched
