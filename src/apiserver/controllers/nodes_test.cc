#include "apiserver/controllers/nodes.h"

#include <gmock/gmock.h>

#include "apiserver/controllers/events.h"
#include "apiserver/controllers/pod_garbage.h"
#include "apiserver/controllers/test_world.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> TaintsOf(const Stored& node) {
  std::vector<std::string> taints;
  for (const json::Value& taint : json::ItemsOf(node.spec()["taints"])) taints.emplace_back(json::TextOf(taint["key"]));
  return taints;
}

void SetReady(TestWorld& world, std::string_view status) {
  world.Set("nodes", "n1", {"status", "conditions"}, StrCat(R"([{"type":"Ready","status":")", status, "\"}]"));
  world.Settle();
}

TEST(Nodes, TaintsFollowReady) {
  TestWorld world;
  world.Add<Nodes>();
  world.Create("nodes", R"({"metadata":{"name":"n1"},"spec":{"taints":[{"key":"mine","effect":"NoSchedule"}]}})");
  world.Settle();
  EXPECT_THAT(TaintsOf(world.Get("nodes", "n1")), ElementsAre("mine", "node.kubernetes.io/not-ready"));
  SetReady(world, "True");
  EXPECT_THAT(TaintsOf(world.Get("nodes", "n1")), ElementsAre("mine"));
  SetReady(world, "False");
  EXPECT_THAT(TaintsOf(world.Get("nodes", "n1")), ElementsAre("mine", "node.kubernetes.io/not-ready"));
  SetReady(world, "Unknown");
  EXPECT_THAT(TaintsOf(world.Get("nodes", "n1")), ElementsAre("mine", "node.kubernetes.io/unreachable"));
}

TEST(Nodes, CordoningIsATaint) {
  TestWorld world;
  world.Add<Nodes>();
  world.Create("nodes", R"({"metadata":{"name":"n1"},"spec":{"unschedulable":true}})");
  SetReady(world, "True");
  EXPECT_THAT(TaintsOf(world.Get("nodes", "n1")), ElementsAre("node.kubernetes.io/unschedulable"));
  world.Set("nodes", "n1", {"spec", "unschedulable"}, "null");
  world.Settle();
  EXPECT_THAT(TaintsOf(world.Get("nodes", "n1")), IsEmpty());
}

TEST(Nodes, ATaintOfAnotherEffectIsLeftAlone) {
  TestWorld world;
  world.Add<Nodes>();
  world.Create("nodes", R"({"metadata":{"name":"n1"},"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"}]}})");
  SetReady(world, "True");
  EXPECT_THAT(TaintsOf(world.Get("nodes", "n1")), ElementsAre("node.kubernetes.io/not-ready"));
}

TEST(PodGarbage, PodsOfANodeThatIsGoneStayForAWhile) {
  TestWorld world;
  world.Add<PodGarbage>();
  world.Create("nodes", R"({"metadata":{"name":"n1"}})");
  world.Create("pods", R"({"metadata":{"name":"here"},"spec":{"nodeName":"n1"}})");
  world.Create("pods", R"({"metadata":{"name":"lost"},"spec":{"nodeName":"gone"}})");
  world.Create("pods", R"({"metadata":{"name":"free"},"spec":{}})");
  world.Settle();
  world.Pass(std::chrono::seconds(39));
  EXPECT_THAT(world.Names("pods"), ElementsAre("free", "here", "lost"));
  world.Pass(std::chrono::seconds(22));
  EXPECT_THAT(world.Names("pods"), ElementsAre("free", "here"));
}

TEST(PodGarbage, ANodeThatComesBackKeepsItsPods) {
  TestWorld world;
  world.Add<PodGarbage>();
  world.Create("pods", R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"}})");
  world.Settle();
  world.Pass(std::chrono::seconds(30));
  world.Create("nodes", R"({"metadata":{"name":"n1"}})");
  world.Pass(std::chrono::seconds(20));
  world.Delete("nodes", "n1");
  world.Pass(std::chrono::seconds(30));
  EXPECT_THAT(world.Names("pods"), ElementsAre("p"));
}

TEST(PodGarbage, TheOldestOfTooManyThatEndedGo) {
  TestWorld world;
  world.Add<PodGarbage>(2U);
  for (const char* name : {"d", "c", "b", "a"}) {
    world.Create("pods", StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{}})"));
    world.Set("pods", name, {"status", "phase"}, R"("Succeeded")");
    world.clock().Advance(std::chrono::seconds(1));
  }
  world.Create("pods", R"({"metadata":{"name":"runs"},"spec":{}})");
  world.Settle();
  EXPECT_THAT(world.Names("pods"), ElementsAre("a", "b", "runs"));
}

TEST(Events, AreKeptForAnHourAfterTheLastWrite) {
  TestWorld world;
  world.Add<Events>();
  world.Create("events", R"({"metadata":{"name":"once"},"lastTimestamp":"2020-01-01T00:00:00Z"})");
  world.Create("events", R"({"metadata":{"name":"again"}})");
  world.Settle();
  world.clock().Advance(std::chrono::minutes(50));
  world.Set("events", "again", {"metadata", "managedFields"}, R"([{"manager":"m","time":"2026-01-01T00:50:00Z"}])");
  world.Settle();
  EXPECT_THAT(world.Names("events"), ElementsAre("again", "once"));
  world.clock().Advance(std::chrono::minutes(11));
  world.Settle();
  EXPECT_THAT(world.Names("events"), ElementsAre("again"));
  world.clock().Advance(std::chrono::minutes(50));
  world.Settle();
  EXPECT_THAT(world.Names("events"), IsEmpty());
}

}  // namespace
}  // namespace allot::apiserver
