#include "apiserver/controllers/workloads/replica_sets.h"

#include <gmock/gmock.h>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/test_world.h"

namespace allot::apiserver {
namespace {

using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kSets = "replicasets.apps";
constexpr char kSet[] = R"({"metadata":{"name":"r"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"a"}},
    "template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c"}]}}}})";
constexpr char kReady[] =
    R"({"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]})";

class ReplicaSetsTest : public testing::Test {
 protected:
  void SetUp() override { world_.Add<ReplicaSets>(); }
  std::string StatusOf(std::string_view key) { return TextAt(world_.Get(kSets, "r").status(), {key}); }
  TestWorld world_;
};

TEST_F(ReplicaSetsTest, MakesPodsAndCountsThem) {
  const Stored set = world_.Create(kSets, kSet);
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), SizeIs(2));
  EXPECT_THAT(world_.Names("pods"), Each(StartsWith("r-")));
  for (const Stored& pod : world_.All("pods")) EXPECT_TRUE(IsControlledBy(pod.json(), set.uid()));
  EXPECT_EQ(StatusOf("replicas"), "2");
  EXPECT_EQ(StatusOf("fullyLabeledReplicas"), "2");
  EXPECT_EQ(StatusOf("observedGeneration"), "1");
  EXPECT_EQ(StatusOf("readyReplicas"), "");
}

TEST_F(ReplicaSetsTest, APodThatGoesOrEndsIsReplaced) {
  world_.Create(kSets, kSet);
  world_.Settle();
  const std::vector<std::string> before = world_.Names("pods");
  world_.Delete("pods", before[0]);
  world_.Set("pods", before[1], {"status", "phase"}, R"("Failed")");
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), SizeIs(3));
  EXPECT_THAT(world_.Names("pods"), Not(Contains(before[0])));
  EXPECT_EQ(StatusOf("replicas"), "2");
}

TEST_F(ReplicaSetsTest, ScalesDownWhatDoesTheLeastGood) {
  world_.Create(kSets, kSet);
  world_.Settle();
  const std::vector<std::string> names = world_.Names("pods");
  world_.Set("pods", names[0], {"spec", "nodeName"}, R"("n1")");
  world_.Set("pods", names[0], {"status"}, kReady);
  world_.Set(kSets, "r", {"spec", "replicas"}, "1");
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), testing::ElementsAre(names[0]));
  world_.Set(kSets, "r", {"spec", "replicas"}, "0");
  world_.Settle();
  EXPECT_TRUE(IsDeleting(world_.Get("pods", names[0]).json()));
  EXPECT_EQ(StatusOf("replicas"), "0");
}

TEST_F(ReplicaSetsTest, AdoptsAPodThatFits) {
  world_.Create("pods", R"({"metadata":{"name":"orphan","labels":{"app":"a"}},"spec":{}})");
  const Stored set = world_.Create(kSets, kSet);
  world_.Settle();
  EXPECT_TRUE(IsControlledBy(world_.Get("pods", "orphan").json(), set.uid()));
  EXPECT_THAT(world_.Names("pods"), SizeIs(2));
}

TEST_F(ReplicaSetsTest, LeavesAPodOfAnotherOwnerAlone) {
  world_.Create("pods", R"({"metadata":{"name":"theirs","labels":{"app":"a"},"ownerReferences":[
      {"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u","controller":true}]},"spec":{}})");
  world_.Create(kSets, kSet);
  world_.Settle();
  EXPECT_TRUE(IsControlledBy(world_.Get("pods", "theirs").json(), "u"));
  EXPECT_THAT(world_.Names("pods"), SizeIs(3));
}

TEST_F(ReplicaSetsTest, LetsGoOfAPodThatDoesNotFitAnyMore) {
  world_.Create(kSets, kSet);
  world_.Settle();
  const std::string name = world_.Names("pods").front();
  world_.Set("pods", name, {"metadata", "labels", "app"}, R"("debug")");
  world_.Settle();
  EXPECT_EQ(ControllerOf(world_.Get("pods", name).json()), nullptr);
  EXPECT_THAT(world_.Names("pods"), SizeIs(3));
}

TEST_F(ReplicaSetsTest, APodIsAvailableAfterItWasReadyForSomeTime) {
  world_.Create(kSets, kSet);
  world_.Set(kSets, "r", {"spec", "minReadySeconds"}, "5");
  world_.Settle();
  for (const std::string& name : world_.Names("pods")) world_.Set("pods", name, {"status"}, kReady);
  world_.Settle();
  EXPECT_EQ(StatusOf("readyReplicas"), "2");
  EXPECT_EQ(StatusOf("availableReplicas"), "");
  world_.Pass(std::chrono::seconds(6));
  EXPECT_EQ(StatusOf("availableReplicas"), "2");
}

TEST_F(ReplicaSetsTest, SaysThatItCannotMakePods) {
  world_.Create(kSets, kSet);
  world_.api().Refuse("pods");
  world_.Settle();
  EXPECT_EQ(ConditionStatus(world_.Get(kSets, "r").status(), "ReplicaFailure"), "True");
  world_.api().Refuse("");
  world_.Pass(std::chrono::seconds(2));
  EXPECT_EQ(ConditionStatus(world_.Get(kSets, "r").status(), "ReplicaFailure"), "");
  EXPECT_THAT(world_.Names("pods"), SizeIs(2));
}

TEST_F(ReplicaSetsTest, MakesNoPodsWhileItIsDeleted) {
  world_.Create(kSets, R"({"metadata":{"name":"r","finalizers":["x.example.com/f"]},"spec":{"replicas":2,
      "selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}}}}})");
  world_.Delete(kSets, "r");
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
}

TEST_F(ReplicaSetsTest, TheSameFailureOfAnotherPodIsNoChange) {
  world_.Create(kSets, kSet);
  world_.Set(kSets, "r", {"status"}, R"({"replicas":0,"observedGeneration":1,"conditions":[{"type":"ReplicaFailure","status":"True",
      "lastTransitionTime":"2026-01-01T00:00:00Z","reason":"FailedCreate","message":"pods \"r-abcde\" is forbidden"}]})");
  const uint64_t before = world_.Get(kSets, "r").entry().version;
  world_.api().Refuse("pods");
  world_.Settle();
  EXPECT_EQ(world_.Get(kSets, "r").entry().version, before);
}

}  // namespace
}  // namespace allot::apiserver
