#include "apiserver/controllers/workloads/deployment_plan.h"

#include <gmock/gmock.h>

#include <limits>

#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;

RolloutPlan Plan(const std::string& spec) {
  const auto document = json::Parse("{\"spec\":" + spec + "}");
  CHECK(document.ok());
  return PlanOf(document->root());
}

RolloutPlan Plan(int64_t replicas, int64_t surge, int64_t unavailable) { return {replicas, surge, unavailable, true}; }

SetSize Size(int64_t replicas, int64_t available) { return {replicas, available, std::nullopt}; }

TEST(RolloutPlan, SurgeIsRoundedUpAndUnavailableDown) {
  const RolloutPlan plan = Plan(R"({"replicas":2,"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}}})");
  EXPECT_EQ(plan.surge, 1);
  EXPECT_EQ(plan.unavailable, 0);
}

TEST(RolloutPlan, WithNeitherOneMayBeUnavailable) {
  EXPECT_EQ(Plan(R"({"replicas":4,"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":"1%"}}})").unavailable, 1);
}

TEST(RolloutPlan, NotMoreThanThereAreCanBeUnavailable) {
  EXPECT_EQ(Plan(R"({"replicas":0,"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":5}}})").unavailable, 0);
}

TEST(NextSize, GrowsAsFarAsTheSurgeAllows) {
  EXPECT_EQ(NextSize(Plan(2, 1, 0), Size(0, 0), {}), 2);
  EXPECT_EQ(NextSize(Plan(2, 1, 0), Size(0, 0), {Size(2, 2)}), 1);
  EXPECT_EQ(NextSize(Plan(2, 1, 0), Size(1, 0), {Size(2, 2)}), 1);
  EXPECT_EQ(NextSize(Plan(10, 3, 2), Size(3, 3), {Size(8, 8)}), 5);
}

TEST(NextSize, ShrinksToWhatIsAskedFor) { EXPECT_EQ(NextSize(Plan(2, 1, 0), Size(5, 5), {Size(1, 1)}), 2); }

TEST(NextOldSizes, KeepsEnoughAvailable) {
  EXPECT_THAT(NextOldSizes(Plan(2, 1, 0), Size(1, 0), {Size(2, 2)}), ElementsAre(2));
  EXPECT_THAT(NextOldSizes(Plan(2, 1, 0), Size(1, 1), {Size(2, 2)}), ElementsAre(1));
  EXPECT_THAT(NextOldSizes(Plan(10, 0, 2), Size(0, 0), {Size(10, 10)}), ElementsAre(8));
}

TEST(NextOldSizes, UnavailablePodsGoFirst) {
  EXPECT_THAT(NextOldSizes(Plan(10, 2, 2), Size(2, 2), {Size(4, 4), Size(6, 3)}), ElementsAre(3, 3));
}

TEST(ProportionalSizes, EachGrowsByItsShare) {
  const SetSize old{8, 8, 13}, current{5, 5, 13};
  EXPECT_THAT(ProportionalSizes(Plan(15, 3, 2), {old, current}, 13), ElementsAre(11, 7));
}

TEST(ProportionalSizes, AllGoToZero) {
  EXPECT_THAT(ProportionalSizes(Plan(0, 0, 0), {SetSize{8, 8, 13}, SetSize{5, 5, 13}}, 13), ElementsAre(0, 0));
}

TEST(ProportionalSizes, NoShareIsLargerThanASetCanBe) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const SetSize one{kMost - 1, 0, 1}, two{1, 0, 1};
  EXPECT_THAT(ProportionalSizes(Plan(kMost, kMost * 10'000, 0), {one, two}, 1), ElementsAre(kMost * 10'000, kMost));
}

}  // namespace
}  // namespace allot::apiserver
