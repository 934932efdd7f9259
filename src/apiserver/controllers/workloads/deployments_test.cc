#include "apiserver/controllers/workloads/deployments.h"

#include <gmock/gmock.h>

#include <limits>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/garbage.h"
#include "apiserver/controllers/test_world.h"
#include "apiserver/controllers/workloads/deployment_sets.h"
#include "apiserver/controllers/workloads/replica_sets.h"

namespace allot::apiserver {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kDeployments = "deployments.apps", kSets = "replicasets.apps";

std::string Deployment(
    int replicas, std::string_view strategy = R"({"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}})") {
  return StrCat(R"({"metadata":{"name":"d"},"spec":{"replicas":)", replicas, R"(,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,
      "strategy":)",
                strategy, R"(,"selector":{"matchLabels":{"app":"a"}},
      "template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})");
}

class DeploymentsTest : public testing::Test {
 protected:
  void SetUp() override { AddControllers(); }
  void AddControllers() {
    world_.Add<Garbage>();
    world_.Add<ReplicaSets>();
    world_.Add<Deployments>();
  }
  void SetImage(std::string_view image) {
    world_.Set(kDeployments, "d", {"spec", "template", "spec", "containers"}, StrCat(R"([{"name":"c","image":")", image, "\"}]"));
  }
  void MakeReady() {
    for (const Stored& pod : world_.All("pods")) {
      if (IsDeleting(pod.json())) continue;
      world_.Set("pods", pod.key().name, {"status"},
                 R"({"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]})");
    }
  }
  std::string StatusOf(std::string_view key) { return TextAt(world_.Get(kDeployments, "d").status(), {key}); }
  std::string Condition(std::string_view type, std::string_view key = "status") {
    const Stored deployment = world_.Get(kDeployments, "d");
    const json::Value* found = FindCondition(deployment.status(), type);
    return found == nullptr ? "" : TextAt(*found, {key});
  }
  int64_t PodsWith(std::string_view image) {
    int64_t count = 0;
    for (const Stored& pod : world_.All("pods")) count += pod.entry().json.find(StrCat("\"", image, "\"")) != std::string::npos ? 1 : 0;
    return count;
  }
  TestWorld world_;
};

TEST_F(DeploymentsTest, MakesAReplicaSetWhichMakesPods) {
  const Stored deployment = world_.Create(kDeployments, Deployment(2));
  world_.Settle();
  ASSERT_THAT(world_.Names(kSets), SizeIs(1));
  const Stored set = world_.At(kSets);
  const std::string hash = TextAt(set.metadata(), {"labels", "pod-template-hash"});
  EXPECT_EQ(set.key().name, "d-" + hash);
  EXPECT_EQ(TextAt(set.metadata(), {"annotations", kRevision}), "1");
  EXPECT_EQ(TextAt(set.spec(), {"selector", "matchLabels", "pod-template-hash"}), hash);
  EXPECT_EQ(TextAt(set.spec(), {"replicas"}), "2");
  EXPECT_TRUE(IsControlledBy(set.json(), deployment.uid()));
  EXPECT_THAT(world_.Names("pods"), testing::Each(StartsWith("d-" + hash + "-")));
  EXPECT_EQ(TextAt(world_.Get(kDeployments, "d").metadata(), {"annotations", kRevision}), "1");
  EXPECT_EQ(TextAt(world_.Get(kDeployments, "d").metadata(), {"generation"}), "1");
}

TEST_F(DeploymentsTest, StatusFollowsThePods) {
  world_.Create(kDeployments, Deployment(2));
  world_.Settle();
  EXPECT_EQ(StatusOf("observedGeneration"), "1");
  EXPECT_EQ(StatusOf("replicas"), "2");
  EXPECT_EQ(StatusOf("updatedReplicas"), "2");
  EXPECT_EQ(StatusOf("unavailableReplicas"), "2");
  EXPECT_EQ(StatusOf("readyReplicas"), "");
  EXPECT_EQ(Condition("Available"), "False");
  MakeReady();
  world_.Settle();
  EXPECT_EQ(StatusOf("readyReplicas"), "2");
  EXPECT_EQ(StatusOf("availableReplicas"), "2");
  EXPECT_EQ(StatusOf("unavailableReplicas"), "");
  EXPECT_EQ(Condition("Available"), "True");
  EXPECT_EQ(Condition("Progressing", "reason"), "NewReplicaSetAvailable");
}

TEST_F(DeploymentsTest, ANewTemplateRollsStepByStep) {
  world_.Create(kDeployments, Deployment(4));
  world_.Settle();
  MakeReady();
  world_.Settle();
  SetImage("i:2");
  world_.Settle();
  EXPECT_EQ(StatusOf("updatedReplicas"), "2");
  EXPECT_EQ(PodsWith("i:1"), 3);
  EXPECT_EQ(TextAt(world_.Get(kDeployments, "d").metadata(), {"annotations", kRevision}), "2");
  for (int i = 0; i < 5; ++i) {
    MakeReady();
    world_.Settle();
    EXPECT_GE(std::atoi(StatusOf("availableReplicas").c_str()), 3);
  }
  EXPECT_EQ(PodsWith("i:1"), 0);
  EXPECT_EQ(PodsWith("i:2"), 4);
  EXPECT_EQ(StatusOf("replicas"), "4");
  EXPECT_EQ(StatusOf("observedGeneration"), "2");
  EXPECT_THAT(world_.Names(kSets), SizeIs(2));
}

TEST_F(DeploymentsTest, PodsThatAreNotReadyHoldTheRolloutBack) {
  world_.Create(kDeployments, Deployment(2));
  world_.Settle();
  SetImage("i:2");
  world_.Settle();
  EXPECT_EQ(StatusOf("updatedReplicas"), "1");
  EXPECT_EQ(StatusOf("replicas"), "3");
}

TEST_F(DeploymentsTest, TheWayBackIsTheOldReplicaSet) {
  world_.Create(kDeployments, Deployment(1));
  world_.Settle();
  const std::string first = world_.Names(kSets).front();
  SetImage("i:2");
  world_.Settle();
  SetImage("i:1");
  world_.Settle();
  EXPECT_THAT(world_.Names(kSets), SizeIs(2));
  EXPECT_EQ(TextAt(world_.Get(kSets, first).metadata(), {"annotations", kRevision}), "3");
  EXPECT_EQ(TextAt(world_.Get(kDeployments, "d").metadata(), {"annotations", kRevision}), "3");
}

TEST_F(DeploymentsTest, ScalesUpAndDown) {
  world_.Create(kDeployments, Deployment(2));
  world_.Settle();
  world_.Set(kDeployments, "d", {"spec", "replicas"}, "3");
  world_.Settle();
  EXPECT_EQ(StatusOf("replicas"), "3");
  EXPECT_EQ(StatusOf("observedGeneration"), "2");
  world_.Set(kDeployments, "d", {"spec", "replicas"}, "0");
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
}

TEST_F(DeploymentsTest, RecreateStartsNoPodBeforeTheOldOnesAreGone) {
  world_.Create(kDeployments, Deployment(2, R"({"type":"Recreate"})"));
  world_.Settle();
  for (const std::string& name : world_.Names("pods")) world_.Set("pods", name, {"spec", "nodeName"}, R"("n1")");
  SetImage("i:2");
  world_.Settle();
  EXPECT_EQ(PodsWith("i:2"), 0);
  for (const std::string& name : world_.Names("pods")) world_.Delete("pods", name, "Background", 0);
  world_.Settle();
  EXPECT_EQ(PodsWith("i:2"), 2);
}

TEST_F(DeploymentsTest, APausedDeploymentScalesButDoesNotRoll) {
  world_.Create(kDeployments, Deployment(2));
  world_.Settle();
  world_.Set(kDeployments, "d", {"spec", "paused"}, "true");
  SetImage("i:2");
  world_.Set(kDeployments, "d", {"spec", "replicas"}, "3");
  world_.Settle();
  EXPECT_EQ(PodsWith("i:1"), 3);
  EXPECT_EQ(PodsWith("i:2"), 0);
  EXPECT_EQ(Condition("Progressing", "reason"), "DeploymentPaused");
  world_.Set(kDeployments, "d", {"spec", "paused"}, "false");
  world_.Settle();
  EXPECT_GT(PodsWith("i:2"), 0);
}

TEST_F(DeploymentsTest, SaysWhenItIsLate) {
  world_.Create(kDeployments, Deployment(1));
  world_.Set(kDeployments, "d", {"spec", "progressDeadlineSeconds"}, "5");
  world_.Settle();
  EXPECT_EQ(Condition("Progressing"), "True");
  world_.Pass(std::chrono::seconds(8));
  EXPECT_EQ(Condition("Progressing"), "False");
  EXPECT_EQ(Condition("Progressing", "reason"), "ProgressDeadlineExceeded");
  MakeReady();
  world_.Settle();
  EXPECT_EQ(Condition("Progressing", "reason"), "NewReplicaSetAvailable");
}

TEST_F(DeploymentsTest, KeepsOnlySomeOldReplicaSets) {
  world_.Create(kDeployments, Deployment(0));
  world_.Set(kDeployments, "d", {"spec", "revisionHistoryLimit"}, "1");
  world_.Settle();
  for (const char* image : {"i:2", "i:3", "i:4"}) {
    world_.Pass(std::chrono::seconds(1));
    SetImage(image);
    world_.Settle();
  }
  EXPECT_THAT(world_.Names(kSets), SizeIs(2));
}

TEST_F(DeploymentsTest, ANameThatIsTakenIsAvoided) {
  const auto pod_template = json::Parse(R"({"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}})");
  world_.Create(kSets, StrCat(R"({"metadata":{"name":"d-)", TemplateHash(pod_template->root(), 0), R"("},"spec":{"replicas":0,
      "selector":{"matchLabels":{"app":"other"}},"template":{}}})"));
  world_.Create(kDeployments, Deployment(1));
  world_.Pass(std::chrono::seconds(1));
  EXPECT_EQ(StatusOf("collisionCount"), "1");
  EXPECT_EQ(StatusOf("updatedReplicas"), "1");
}

TEST_F(DeploymentsTest, GoesOnAfterACrash) {
  world_.Create(kDeployments, Deployment(2));
  world_.api().Refuse("pods");
  world_.Settle();
  world_.api().Refuse("");
  world_.Restart();
  AddControllers();
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), SizeIs(2));
  EXPECT_THAT(world_.Names(kSets), SizeIs(1));
}

TEST_F(DeploymentsTest, DeletionTakesReplicaSetsAndPods) {
  world_.Create(kDeployments, Deployment(2));
  world_.Settle();
  world_.Delete(kDeployments, "d", "Foreground");
  world_.Settle();
  EXPECT_THAT(world_.Names(kDeployments), IsEmpty());
  EXPECT_THAT(world_.Names(kSets), IsEmpty());
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
}

TEST_F(DeploymentsTest, APodInAnotherNamespaceDoesNotHoldUpARecreate) {
  world_.Create(kDeployments, Deployment(1, R"({"type":"Recreate"})"));
  world_.Settle();
  world_.Create("pods",
                StrCat(R"({"metadata":{"name":"theirs","ownerReferences":[
      {"apiVersion":"example.com/v1","kind":"Thing","name":"x","uid":"y"},
      {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":")",
                       world_.At(kSets).uid(), R"("}]},"spec":{}})"),
                "elsewhere");
  SetImage("i:2");
  world_.Settle();
  EXPECT_EQ(PodsWith("i:2"), 1);
}

TEST_F(DeploymentsTest, AfterTheHighestRevisionThereIsNoHigherOne) {
  world_.Create(kDeployments, Deployment(1));
  world_.Settle();
  const std::string highest = std::to_string(std::numeric_limits<int64_t>::max());
  world_.Set(kSets, world_.Names(kSets).front(), {"metadata", "annotations", kRevision}, StrCat("\"", highest, "\""));
  SetImage("i:2");
  world_.Settle();
  for (const Stored& set : world_.All(kSets)) EXPECT_EQ(TextAt(set.metadata(), {"annotations", kRevision}), highest);
}

}  // namespace
}  // namespace allot::apiserver
