#include "apiserver/controllers/loop.h"

#include <gmock/gmock.h>

#include "apiserver/controllers/controllers.h"
#include "apiserver/controllers/label_selector.h"
#include "apiserver/controllers/pod_claims.h"
#include "apiserver/controllers/test_world.h"
#include "apiserver/controllers/workloads/deployments.h"
#include "apiserver/controllers/workloads/jobs.h"
#include "apiserver/controllers/workloads/replica_sets.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Looks at secrets, and remembers what it saw.
class Recorder final : public Controller {
 public:
  explicit Recorder(World& world) : Controller(world, "recorder") {}
  void Notice(const Sight& sight) override {
    if (!sight.Is("secrets")) return;
    noticed.push_back(StrCat(sight.deleted() ? "-" : sight.created() ? "+" : "", sight.key().name));
    Add(sight.key());
  }
  Result<Again> Reconcile(const Key& key) override {
    reconciled.push_back(key.name);
    if (failures-- > 0) return Unavailable("not yet");
    return again;
  }
  std::vector<std::string> noticed, reconciled;
  int failures = 0;
  Again again;
};

TEST(Loop, NoticesWhatIsThereAndWhatChanges) {
  TestWorld world;
  Recorder& recorder = world.Add<Recorder>();
  world.Create("secrets", R"({"metadata":{"name":"a"}})");
  world.Settle();
  world.Create("secrets", R"({"metadata":{"name":"b"}})");
  world.Set("secrets", "a", {"data"}, "{}");
  world.Delete("secrets", "b");
  world.Settle();
  EXPECT_THAT(recorder.noticed, ElementsAre("+a", "+b", "a", "-b"));
  EXPECT_THAT(recorder.reconciled, ElementsAre("a", "b", "a"));
}

TEST(Loop, WhatFailedComesAgain) {
  TestWorld world;
  Recorder& recorder = world.Add<Recorder>();
  recorder.failures = 3;
  world.Create("secrets", R"({"metadata":{"name":"a"}})");
  world.Settle();
  EXPECT_THAT(recorder.reconciled, ElementsAre("a"));
  world.Pass(std::chrono::seconds(3));
  EXPECT_THAT(recorder.reconciled, ElementsAre("a", "a", "a", "a"));
}

TEST(Loop, AKeyComesAgainWhenItsTimeIsUp) {
  TestWorld world;
  Recorder& recorder = world.Add<Recorder>();
  recorder.again = std::chrono::seconds(10);
  world.Create("secrets", R"({"metadata":{"name":"a"}})");
  world.Settle();
  world.Pass(std::chrono::seconds(25));
  EXPECT_THAT(recorder.reconciled, ElementsAre("a", "a", "a"));
}

TEST(Loop, TheIndexOfOwnersFollowsChanges) {
  TestWorld world;
  world.Create("secrets", R"({"metadata":{"name":"a","ownerReferences":[{"uid":"u"}]}})");
  world.Settle();
  const Key a{"secrets", "lab", "a"};
  EXPECT_THAT(world.world().owners.Of("u"), ElementsAre(a));
  world.Set("secrets", "a", {"metadata", "ownerReferences"}, R"([{"uid":"v"},{"uid":"v"}])");
  world.Settle();
  EXPECT_THAT(world.world().owners.Of("u"), IsEmpty());
  EXPECT_THAT(world.world().owners.Of("v"), ElementsAre(a));
  world.Delete("secrets", "a");
  world.Settle();
  EXPECT_THAT(world.world().owners.Of("v"), IsEmpty());
}

TEST(Loop, AnOwnerWithASlashInItsNameIsIgnored) {
  TestWorld world;
  world.Add<Deployments>();
  world.Add<ReplicaSets>();
  world.Add<Jobs>();
  world.Add<PodClaims>();
  const auto owned = [](std::string_view kind, std::string_view name) {
    return StrCat(R"({"metadata":{"name":")", kind == "Deployment" ? "a" : "p", R"(","ownerReferences":[{"kind":")", kind, R"(","name":")",
                  name, R"(","uid":"u","controller":true}]},"spec":{"replicas":0},"status":{"allocation":{}}})");
  };
  world.Create("pods", owned("Job", "a/b"));
  world.Create("replicasets.apps", owned("Deployment", "a/b/c"));
  world.Create("resourceclaims.resource.k8s.io", owned("Pod", "/"));
  world.Settle();
  world.Set("pods", "p", {"metadata", "ownerReferences"}, R"([{"kind":"ReplicaSet","name":"a/b","uid":"u","controller":true}])");
  world.Settle();
  world.Delete("pods", "p");
  world.Settle();
  const Key key{"pods", "lab", "a/b"};
  EXPECT_EQ(ReadKey(WriteKey(key)), key);
}

TEST(Loop, OwnersAreLookedUpInANamespaceOrEverywhere) {
  Referrers owners;
  const Key here{"pods", "lab", "a"}, there{"configmaps", "other", "b"};
  owners.Set(here, {"u", "u"});
  owners.Set(there, {"u"});
  EXPECT_THAT(owners.Of("u", "lab"), ElementsAre(here));
  EXPECT_THAT(owners.Of("u", "nowhere"), IsEmpty());
  EXPECT_THAT(owners.Of("u"), ElementsAre(there, here));
  owners.Set(here, {});
  EXPECT_THAT(owners.Of("u", "lab"), IsEmpty());
  owners.Set(there, {});
  EXPECT_FALSE(owners.Any("u"));
}

TEST(Loop, ADamagedObjectIsLoggedAndSkipped) {
  const FakeClock clock;
  FakeApi api(clock);
  Draft broken;
  broken.before = R"({"kind":"Secret","metadata":{"name":"bad","labels":{"a":")"
                  "\xff"
                  R"("},"resourceVersion":")";
  broken.after = "\"}}";
  ASSERT_OK(api.store().Put({"secrets", "lab", "bad"}, 0, broken));
  const auto body = json::Parse(R"({"metadata":{"name":"good"}})");
  ASSERT_OK(api.Create({}, {api.BuiltIn("secrets"), "lab"}, body->root(), {}));

  std::string lines;
  Log log(clock, Log::Format::kText, [&](std::string_view line) { lines += line; });
  Loop loop(api, clock, &log);
  auto recorder = std::make_unique<Recorder>(loop.world());
  Recorder& seen = *recorder;
  loop.Add(std::move(recorder));
  loop.LookAtEverything();
  while (loop.Step()) {
  }
  EXPECT_THAT(seen.noticed, ElementsAre("+good"));
  EXPECT_THAT(seen.reconciled, ElementsAre("good"));
  EXPECT_THAT(lines, testing::HasSubstr("secrets/lab/bad"));

  // It still exists: callers must not treat it as gone.
  const std::optional<Stored> there = Read(api.store(), {"secrets", "lab", "bad"});
  ASSERT_TRUE(there);
  EXPECT_TRUE(there->damaged());
}

TEST(LabelSelector, SelectsByLabelsAndExpressions) {
  const auto matches = [](const std::string& selector, std::vector<std::pair<std::string, std::string>> labels) {
    Index index;
    index.labels = std::move(labels);
    return LabelSelector(json::Parse(selector)->root()).Matches(index);
  };
  EXPECT_TRUE(LabelSelector(json::Parse(R"({"matchLabels":{"a":"1"}})")->root()).Matches(json::Parse(R"({"b":"2","a":"1"})")->root()));
  EXPECT_TRUE(matches(R"({"matchLabels":{"a":"1"}})", {{"a", "1"}, {"b", "2"}}));
  EXPECT_FALSE(matches(R"({"matchLabels":{"a":"1","c":"3"}})", {{"a", "1"}, {"b", "2"}}));
  EXPECT_TRUE(matches(R"({"matchExpressions":[{"key":"a","operator":"In","values":["0","1"]}]})", {{"a", "1"}}));
  EXPECT_FALSE(matches(R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["1"]}]})", {{"a", "1"}}));
  EXPECT_TRUE(matches(R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["1"]}]})", {}));
  EXPECT_TRUE(matches(R"({"matchExpressions":[{"key":"a","operator":"Exists"}]})", {{"a", ""}}));
  EXPECT_TRUE(matches(R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]})", {{"b", ""}}));
  EXPECT_FALSE(matches("{}", {{"a", "1"}}));
  EXPECT_FALSE(matches(R"({"matchExpressions":[{"key":"a","operator":"Like","values":["1"]}]})", {{"a", "1"}}));
}

// With threads: everything is put together, and woken by writes.
TEST(Controllers, WorkOnTheirOwnThread) {
  const SystemClock clock;
  FakeApi api(clock);
  WatchHub hub(api.store());
  Controllers controllers(api, hub, clock);
  ASSERT_OK(controllers.Start());
  const auto has = [&](const char* space) { return api.store().Get({"serviceaccounts", space, "default"}) != nullptr; };
  const auto await = [&](const auto& done) {
    const MonotonicTime end = clock.MonotonicNow() + std::chrono::seconds(60);
    while (!done() && clock.MonotonicNow() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return done();
  };
  EXPECT_TRUE(await([&] { return has("default") && has("kube-system"); }));
  const auto body = json::Parse(R"({"metadata":{"name":"lab"}})");
  ASSERT_OK(api.Create({}, {api.BuiltIn("namespaces")}, body->root(), {}));
  EXPECT_TRUE(await([&] { return has("lab"); }));
}

}  // namespace
}  // namespace allot::apiserver
