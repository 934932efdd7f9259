#include "control/scheduler.h"

#include "control/test_auditor.h"
#include "control/test_cluster.h"

namespace allot::control {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

bool HasFinalizer(const kube::ObjectPtr& claim) {
  for (const json::Value& one : json::ItemsOf(claim->json()["metadata"]["finalizers"])) {
    if (json::TextOf(one) == kClaimFinalizer) return true;
  }
  return false;
}

TEST(Scheduler, BindsAPodWhoseClaimIsThenAllocatedAndReserved) {
  TestCluster cluster(1, 12);
  cluster.AddTemplate("half", "6Gi");
  Scheduler& scheduler = cluster.StartScheduler();
  cluster.AddPod("a", kHalf);
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_EQ(cluster.NodeOf("a"), "n1");
  EXPECT_THAT(cluster.Scheduled("a"), StartsWith("True"));
  const kube::ObjectPtr claim = cluster.ClaimOf("a");
  EXPECT_EQ(cluster.Held(claim), "gpu-0 6Gi for a");
  EXPECT_TRUE(HasFinalizer(claim));
  EXPECT_FALSE(json::TextOf(claim->json()["status"]["allocation"]["allocationTimestamp"]).empty());
  EXPECT_TRUE(cluster.Await([&] { return cluster.EventsOf("a") == "Scheduled: Successfully assigned lab/a to n1: gpu-0 6144 MiB"; }))
      << cluster.EventsOf("a");
  EXPECT_TRUE(cluster.Await([&] { return scheduler.counts().bound == 1; }));
  EXPECT_EQ(scheduler.counts().placed, 1u);
  EXPECT_EQ(scheduler.counts().failures, 0u);
  EXPECT_OK(scheduler.status());
}

TEST(Scheduler, APodThatDoesNotFitIsToldWhyAndStartsWhenThePlaceIsFree) {
  TestCluster cluster(1, 8);
  cluster.AddTemplate("most", "6Gi");
  cluster.StartScheduler();
  cluster.AddPod("first", "resourceClaimTemplateName: most");
  ASSERT_TRUE(cluster.AwaitBound("first"));
  cluster.AddPod("second", "resourceClaimTemplateName: most");
  ASSERT_TRUE(cluster.Await([&] { return cluster.Scheduled("second").starts_with("False Unschedulable: 0/1 nodes fit: n1: "); }))
      << cluster.Scheduled("second");
  EXPECT_TRUE(cluster.Await([&] { return cluster.EventsOf("second").starts_with("FailedScheduling: 0/1 nodes fit"); }));
  EXPECT_EQ(cluster.NodeOf("second"), "");
  cluster.DeletePod("first");
  ASSERT_TRUE(cluster.AwaitBound("second")) << cluster.log();
  EXPECT_THAT(cluster.Scheduled("second"), StartsWith("True"));
  EXPECT_EQ(cluster.Held(cluster.ClaimOf("second")), "gpu-0 6Gi for second");
}

TEST(Scheduler, WhatCanNeverFitIsSaidAtOnce) {
  TestCluster cluster(2, 8);
  cluster.AddTemplate("huge", "80Gi");
  cluster.StartScheduler();
  cluster.AddPod("a", "resourceClaimTemplateName: huge");
  EXPECT_TRUE(cluster.Await([&] { return cluster.Scheduled("a").starts_with("False Unschedulable: can never start here: 0/1 nodes"); }))
      << cluster.Scheduled("a");
}

TEST(Scheduler, GatesHoldAPodUntilTheyAreRemoved) {
  TestCluster cluster(1, 8);
  Scheduler& scheduler = cluster.StartScheduler();
  cluster.AddPod("a", "", ", schedulingGates: [{name: example.com/quota}]");
  ASSERT_TRUE(cluster.Await([&] { return scheduler.counts().waiting == 1; }));
  EXPECT_THAT(cluster.Scheduled("a"), StartsWith("False SchedulingGated: "));
  EXPECT_EQ(cluster.NodeOf("a"), "");
  EXPECT_OK(cluster.client().Patch(kube::types::kPods, "lab", "a", kube::PatchType::kMerge, R"({"spec":{"schedulingGates":[]}})"));
  EXPECT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_EQ(cluster.EventsOf("a").find("FailedScheduling"), std::string::npos);
}

TEST(Scheduler, PodsShareAClaimByItsName) {
  TestCluster cluster(1, 8);
  cluster.AddNode("n2", 1, 8);
  cluster.AddClaim("shared", "4Gi");
  cluster.StartScheduler();
  for (const char* pod : {"a", "b", "c"}) cluster.AddPod(pod, "resourceClaimName: shared");
  for (const char* pod : {"a", "b", "c"}) ASSERT_TRUE(cluster.AwaitBound(pod)) << pod << "\n" << cluster.log();
  EXPECT_EQ(cluster.NodeOf("a"), cluster.NodeOf("b"));
  EXPECT_EQ(cluster.NodeOf("a"), cluster.NodeOf("c"));
  std::vector<std::string> users;
  const kube::ObjectPtr claim = cluster.Get(kube::types::kResourceClaims, "shared");
  for (const json::Value& one : json::ItemsOf(claim->json()["status"]["reservedFor"])) users.emplace_back(json::TextOf(one["name"]));
  EXPECT_THAT(users, UnorderedElementsAre("a", "b", "c"));
}

TEST(Scheduler, APodThatCannotBeDecidedSaysSoAndIsNotCalledUnschedulable) {
  TestCluster cluster(1, 8);
  cluster.StartScheduler();
  cluster.Create(
      "{kind: ResourceClaim, apiVersion: resource.k8s.io/v1, metadata: {name: odd, namespace: lab}, spec: {devices: {requests: [{name: r, "
      "exactly: {deviceClassName: nosuch, allocationMode: ExactCount, count: 1}}]}}}");
  cluster.AddPod("a", "resourceClaimName: odd");
  EXPECT_TRUE(cluster.Await([&] { return cluster.Scheduled("a").starts_with("False SchedulerError: "); })) << cluster.Scheduled("a");
}

TEST(Scheduler, AClaimThatIsMissingIsSaidAfterAMoment) {
  TestCluster cluster(1, 8);
  SchedulerOptions options;
  options.news.passing = std::chrono::milliseconds(100);
  cluster.StartScheduler(options);
  cluster.AddPod("a", "resourceClaimName: late");
  EXPECT_TRUE(cluster.Await([&] { return cluster.Scheduled("a") == "False ClaimMissing: claim lab/late does not exist"; }))
      << cluster.Scheduled("a");
  cluster.AddClaim("late", "4Gi");
  EXPECT_TRUE(cluster.AwaitBound("a")) << cluster.log();
}

TEST(Scheduler, ALabelOfAClaimIsNoReasonToAskAgain) {
  TestCluster cluster(1, 8);
  cluster.AddTemplate("half", "4Gi");
  Scheduler& scheduler = cluster.StartScheduler();
  cluster.AddPod("a", kHalf);
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  cluster.AddPod("b", "");
  ASSERT_TRUE(cluster.Await([&] { return scheduler.counts().bound == 2; }));
  const uint64_t runs = scheduler.counts().runs;
  const std::string name(cluster.ClaimOf("a")->name());
  for (const char* label : {"x", "y", "z"}) {
    EXPECT_OK(cluster.client().Patch(kube::types::kResourceClaims, "lab", name, kube::PatchType::kMerge,
                                     StrCat(R"({"metadata":{"labels":{"team":")", label, R"("}}})")));
  }
  cluster.AddPod("c", "");
  ASSERT_TRUE(cluster.AwaitBound("c")) << cluster.log();
  EXPECT_EQ(scheduler.counts().runs, runs + 1);
}

TEST(Scheduler, AClaimMayBeNamedTwiceByAPod) {
  TestCluster cluster(1, 8);
  cluster.AddClaim("c", "4Gi");
  Scheduler& scheduler = cluster.StartScheduler();
  cluster.AddPod("a", "resourceClaimName: c}, {name: again, resourceClaimName: c");
  EXPECT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_EQ(cluster.Held(cluster.ClaimOf("a")), "gpu-0 4Gi for a");
  EXPECT_EQ(scheduler.counts().failures, 0u);
}

TEST(Scheduler, TheSameReasonIsWrittenOnce) {
  TestCluster cluster(1, 8);
  cluster.AddTemplate("huge", "80Gi");
  std::atomic<int> writes = 0;
  cluster.gatekeeper().Set([&](const auto& request, const auto&) {
    writes +=
        request.kind.type.plural == "pods" && request.name == "waits" && request.subresource == "status" && request.user == "system:admin";
    return Status();
  });
  SchedulerOptions options;
  options.news.again = std::chrono::milliseconds(0);
  options.news.passing = std::chrono::hours(1);  // on a busy machine its claim may be made late, which is a reason of its own
  Scheduler& scheduler = cluster.StartScheduler(options);
  cluster.AddPod("waits", "resourceClaimTemplateName: huge");
  ASSERT_TRUE(cluster.Await([&] { return cluster.Scheduled("waits").starts_with("False Unschedulable: can never"); }));
  const uint64_t runs = scheduler.counts().runs;
  for (int i = 0; i < 5; ++i) {
    cluster.AddPod(StrCat("p", i), "");
    ASSERT_TRUE(cluster.AwaitBound(StrCat("p", i)));
  }
  EXPECT_GE(scheduler.counts().runs, runs + 5);
  cluster.StopScheduler();
  EXPECT_EQ(writes, 1);
  cluster.StartScheduler();  // and by the next one neither
  cluster.AddPod("last", "");
  ASSERT_TRUE(cluster.AwaitBound("last"));
  cluster.StopScheduler();
  EXPECT_EQ(writes, 1);
}

TEST(Scheduler, SaysWhatIsInTheWayWhereThereIsNoApi) {
  kube::Config config;
  config.server = "http://127.0.0.1:1";
  ASSERT_OK_AND_ASSIGN(const auto client, kube::Client::Make(config));
  const SystemClock clock;
  SystemRandom random;
  Log log(clock, Log::Format::kText, [](std::string_view) {});
  Scheduler scheduler({}, *client, clock, random, log);
  scheduler.Start();
  EXPECT_THAT(scheduler.AwaitSync({std::chrono::steady_clock::now() + std::chrono::milliseconds(200), nullptr}),
              IsStatus(Code::kUnavailable, HasSubstr("127.0.0.1:1")));
  EXPECT_THAT(scheduler.status(), IsStatus(Code::kUnavailable));
  EXPECT_EQ(scheduler.counts().runs, 0u);
}

TEST(Scheduler, LeavesThePodsOfOtherSchedulersAlone) {
  TestCluster cluster(1, 8);
  Scheduler& scheduler = cluster.StartScheduler();
  cluster.AddPod("theirs", "", ", schedulerName: another");
  cluster.AddPod("ours", "", ", schedulerName: allot");
  ASSERT_TRUE(cluster.AwaitBound("ours"));
  EXPECT_EQ(cluster.NodeOf("theirs"), "");
  EXPECT_EQ(scheduler.counts().waiting, 0u);
}

TEST(Scheduler, AHeartbeatCausesNoDecisions) {
  TestCluster cluster(1, 8);
  cluster.AddTemplate("huge", "80Gi");
  Scheduler& scheduler = cluster.StartScheduler();
  cluster.AddPod("waits", "resourceClaimTemplateName: huge");
  ASSERT_TRUE(cluster.Await([&] { return cluster.Scheduled("waits").starts_with("False Unschedulable: can never"); }));
  const uint64_t runs = scheduler.counts().runs;
  for (int i = 0; i < 5; ++i) {
    EXPECT_OK(cluster.client().Patch(
        kube::types::kNodes, "", "n1", kube::PatchType::kStrategic,
        StrCat(R"({"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-01T00:00:0)", i, R"(Z"}]}})"),
        "status"));
  }
  cluster.AddPod("plain", "");  // behind the heartbeats
  ASSERT_TRUE(cluster.AwaitBound("plain"));
  EXPECT_EQ(scheduler.counts().runs, runs + 1);
}

TEST(Scheduler, ABurstOfPodsIsBoundAndNoDeviceIsEverOvercommitted) {
  TestCluster cluster;
  for (const char* node : {"n1", "n2", "n3", "n4"}) cluster.AddNode(node, 8, 14);
  // 7 of them fill a GPU: 224 places for 200 Pods.
  cluster.AddTemplate("small", "2Gi");
  Scheduler& scheduler = cluster.StartScheduler();
  const Auditor auditor(cluster.client(), 14 * 1024);
  std::vector<std::thread> users;
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([&cluster, user] {
      for (int i = 0; i < 50; ++i) cluster.AddPod(StrCat("p", user, "-", i), "resourceClaimTemplateName: small");
    });
  }
  for (std::thread& user : users) user.join();
  ASSERT_TRUE(cluster.Await([&] { return scheduler.counts().bound == 200; }, std::chrono::seconds(60))) << scheduler.counts().bound << "\n"
                                                                                                        << cluster.log();
  std::map<std::string, int> pods;
  for (const kube::ObjectPtr& pod : cluster.List(kube::types::kPods)) ++pods[std::string(json::TextOf(pod->json()["spec"]["nodeName"]))];
  EXPECT_FALSE(pods.contains(""));
  for (const kube::ObjectPtr& claim : cluster.List(kube::types::kResourceClaims)) EXPECT_THAT(cluster.Held(claim), HasSubstr(" 2Gi for p"));
  EXPECT_TRUE(cluster.Await([&] { return auditor.events() >= 600; }));  // made, protected, allocated
  EXPECT_EQ(auditor.findings(), "");
  EXPECT_EQ(scheduler.counts().failures, 0u) << cluster.log();
}

TEST(Scheduler, EveryPodOfACrowdStartsAsOthersEnd) {
  TestCluster cluster(2, 8);
  cluster.AddTemplate("half", "4Gi");
  Scheduler& scheduler = cluster.StartScheduler();
  const Auditor auditor(cluster.client(), 8 * 1024);
  for (int i = 0; i < 16; ++i) cluster.AddPod(StrCat("p", i), kHalf);
  std::set<std::string> ended;
  ASSERT_TRUE(cluster.Await([&] {
    for (const kube::ObjectPtr& pod : cluster.List(kube::types::kPods)) {
      if (json::TextOf(pod->json()["spec"]["nodeName"]).empty() || !ended.insert(std::string(pod->name())).second) continue;
      cluster.DeletePod(pod->name());
    }
    return ended.size() == 16;
  })) << cluster.log();
  EXPECT_EQ(auditor.findings(), "");
  EXPECT_TRUE(cluster.Await([&] { return scheduler.counts().bound == 16; }));
}

}  // namespace
}  // namespace allot::control
