#include "control/extended_claim.h"

#include "control/test_cluster.h"

namespace allot::control {
namespace {

using ::testing::HasSubstr;

// A Pod whose container asks for `amount` GPUs. `more` of the spec begins with ", ".
void AddAsking(TestCluster& cluster, std::string_view name, std::string_view amount, std::string_view more = "") {
  cluster.Create(StrCat("{kind: Pod, apiVersion: v1, metadata: {name: ", name,
                        ", namespace: lab}, spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: '", amount,
                        "'}}}]", more, "}}"));
}

void AddClass(TestCluster& cluster) {
  cluster.Create(
      "{kind: DeviceClass, apiVersion: resource.k8s.io/v1, metadata: {name: whole}, spec: {extendedResourceName: nvidia.com/gpu}}");
}

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The claim that the Pod's status names. nullptr: the status names none, or the claim is gone.
kube::ObjectPtr MadeFor(TestCluster& cluster, std::string_view pod) {
  const kube::ObjectPtr object = cluster.Get(kube::types::kPods, pod);
  const std::string_view name =
      object == nullptr ? "" : json::TextOf(object->json()["status"]["extendedResourceClaimStatus"]["resourceClaimName"]);
  return name.empty() ? nullptr : cluster.Get(kube::types::kResourceClaims, name);
}

TEST(ExtendedClaim, AnAmountOfAResourceIsAWholeGpuWithAClaimOfItsOwn) {
  TestCluster cluster(2, 24);
  AddClass(cluster);
  cluster.StartScheduler();
  AddAsking(cluster, "a", "1");
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log() << cluster.Scheduled("a");
  EXPECT_THAT(cluster.Held(MadeFor(cluster, "a")), HasSubstr(" 24Gi for a"));
  const kube::ObjectPtr pod = cluster.Get(kube::types::kPods, "a");
  const auto mappings = json::ItemsOf(pod->json()["status"]["extendedResourceClaimStatus"]["requestMappings"]);
  ASSERT_EQ(mappings.size(), 1u);
  EXPECT_EQ(json::TextOf(mappings[0]["containerName"]), "c");
  EXPECT_EQ(json::TextOf(mappings[0]["requestName"]), "container-0-request-0");

  AddAsking(cluster, "both", "2");
  ASSERT_TRUE(cluster.Await([&] { return cluster.Scheduled("both").starts_with("False Unschedulable: 0/1 nodes fit"); }))
      << cluster.Scheduled("both");
  EXPECT_NE(MadeFor(cluster, "both"), nullptr);
  cluster.DeletePod("a");
  ASSERT_TRUE(cluster.AwaitBound("both")) << cluster.log();
  EXPECT_EQ(cluster.Held(MadeFor(cluster, "both")), "gpu-0 24Gi, gpu-1 24Gi for both");
  cluster.DeletePod("both");
  EXPECT_TRUE(cluster.Await([&] { return cluster.List(kube::types::kResourceClaims).empty(); }));
}

TEST(ExtendedClaim, AClassThatComesLateAndAClaimThatIsDeletedAreMadeUpFor) {
  TestCluster cluster(1, 24);
  cluster.AddTemplate("half", "12Gi");
  cluster.StartScheduler();
  cluster.AddPod("first", kHalf);
  ASSERT_TRUE(cluster.AwaitBound("first"));
  AddAsking(cluster, "a", "1");
  ASSERT_TRUE(cluster.Await([&] { return cluster.Scheduled("a").find("has no nvidia.com/gpu") != std::string::npos; }))
      << cluster.Scheduled("a");
  AddClass(cluster);
  ASSERT_TRUE(cluster.Await([&] { return MadeFor(cluster, "a") != nullptr; })) << cluster.log();
  const kube::ObjectPtr claim = MadeFor(cluster, "a");
  ASSERT_OK(cluster.client().Delete(kube::types::kResourceClaims, "lab", claim->name()));
  ASSERT_TRUE(cluster.Await([&] {
    const kube::ObjectPtr again = MadeFor(cluster, "a");
    return again != nullptr && again->uid() != claim->uid();
  })) << cluster.log();
  cluster.DeletePod("first");
  EXPECT_TRUE(cluster.AwaitBound("a")) << cluster.log();
}

TEST(ExtendedClaim, OneThatWasMadeBeforeACrashIsFoundAgain) {
  TestCluster cluster(1, 24);
  AddClass(cluster);
  AddAsking(cluster, "a", "1");
  const kube::ObjectPtr pod = cluster.Get(kube::types::kPods, "a");
  const dialect::ExtendedClaim made = dialect::ClaimForResources(pod->json(), {{"nvidia.com/gpu", "whole"}});
  ASSERT_OK(cluster.client().Create(kube::types::kResourceClaims, "lab", made.claim));
  cluster.StartScheduler();
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_EQ(cluster.List(kube::types::kResourceClaims).size(), 1u);
  EXPECT_EQ(MadeFor(cluster, "a")->name(), made.name);
}

TEST(ExtendedClaim, AClaimOfAnotherOwnerIsNotTaken) {
  TestCluster cluster(1, 24);
  AddClass(cluster);
  AddAsking(cluster, "a", "1");
  const kube::ObjectPtr pod = cluster.Get(kube::types::kPods, "a");
  const dialect::ExtendedClaim made = dialect::ClaimForResources(pod->json(), {{"nvidia.com/gpu", "whole"}});
  cluster.AddClaim(made.name, "6Gi");
  EXPECT_THAT(MakeExtendedClaim(cluster.client(), *pod, made, {}),
              IsStatus(Code::kConflict, HasSubstr("does not belong to this Pod; delete it")));
  EXPECT_EQ(MadeFor(cluster, "a"), nullptr);
  cluster.StartScheduler();
  EXPECT_TRUE(cluster.Await([&] { return cluster.EventsOf("a").find("could not be made, and is tried again") != std::string::npos; }))
      << cluster.EventsOf("a");
  EXPECT_EQ(cluster.NodeOf("a"), "");
}

TEST(ExtendedClaim, AnotherPodOfTheNameIsNotToldOfIt) {
  TestCluster cluster(1, 24);
  AddAsking(cluster, "a", "1");
  const kube::ObjectPtr pod = cluster.Get(kube::types::kPods, "a");
  cluster.DeletePod("a");
  AddAsking(cluster, "a", "1");
  const dialect::ExtendedClaim made = dialect::ClaimForResources(pod->json(), {{"nvidia.com/gpu", "whole"}});
  EXPECT_THAT(MakeExtendedClaim(cluster.client(), *pod, made, {}), IsStatus(Code::kInvalid, HasSubstr("metadata.uid")));
  EXPECT_TRUE(cluster.Get(kube::types::kPods, "a")->json()["status"]["extendedResourceClaimStatus"].IsNull());
  EXPECT_TRUE(cluster.Await([&] { return cluster.List(kube::types::kResourceClaims).empty(); }));  // its owner is gone
}

TEST(ExtendedClaim, ClassesThatChangeWhileItWaitsMakeAnotherClaim) {
  TestCluster cluster(1, 24);
  AddClass(cluster);
  cluster.AddTemplate("half", "12Gi");
  cluster.StartScheduler();
  cluster.AddPod("first", kHalf);
  ASSERT_TRUE(cluster.AwaitBound("first"));
  cluster.Create(
      "{kind: Pod, apiVersion: v1, metadata: {name: a, namespace: lab}, spec: {containers: [{name: c, image: x, resources: {limits: "
      "{nvidia.com/gpu: 1, example.com/gpu: 1}}}]}}");
  const auto asks = [&](std::string_view text) {
    return cluster.Await([&] {
      const kube::ObjectPtr claim = MadeFor(cluster, "a");
      return claim != nullptr && json::Write(claim->json()["spec"]).find(text) != std::string::npos;
    });
  };
  ASSERT_TRUE(asks("\"whole\"")) << cluster.log();
  cluster.Create(
      "{kind: DeviceClass, apiVersion: resource.k8s.io/v1, metadata: {name: other}, spec: {extendedResourceName: example.com/gpu}}");
  ASSERT_TRUE(asks("\"other\"")) << cluster.log();
  EXPECT_EQ(cluster.NodeOf("a"), "");
  cluster.AddNode("n2", 2, 8);
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_EQ(cluster.Held(MadeFor(cluster, "a")), "gpu-0 8Gi, gpu-1 8Gi for a");
  EXPECT_EQ(cluster.List(kube::types::kResourceClaims).size(), 2u);  // with that of the first
}

TEST(ExtendedClaim, ClassesThatChangeWhileAJobWritesNothingNewMakeAnotherClaim) {
  const auto is_pod_watch = [](std::string_view request) { return request.starts_with("GET /api/v1/pods?") && Contains(request, "watch"); };
  std::atomic<int> jobs = 0;
  std::atomic<bool> go_on = false;
  TestCluster cluster(1, 24);
  AddClass(cluster);
  Relay& relay = cluster.UseRelay();
  cluster.gatekeeper().Set([&](const apiserver::AdmissionRequest& request, const json::Value&) {
    if (request.kind.type.plural != "resourceclaims" || request.operation != apiserver::Operation::kCreate || request.dry_run)
      return Status();
    const int job = ++jobs;
    if (job == 1) relay.HoldBack(is_pod_watch);  // the scheduler does not hear that the Pod names its claim, and makes it again
    if (job == 2) TestCluster::Await([&] { return go_on.load(); });
    return Status();
  });
  Scheduler& scheduler = cluster.StartScheduler();
  const auto await_run = [&](const std::function<void()>& change) {
    const uint64_t before = scheduler.counts().runs;
    change();
    return TestCluster::Await([&] { return scheduler.counts().runs > before; });
  };
  cluster.Create(
      "{kind: Pod, apiVersion: v1, metadata: {name: a, namespace: lab}, spec: {containers: [{name: c, image: x, resources: {limits: "
      "{nvidia.com/gpu: 1, example.com/gpu: 1}}}]}}");
  for (int i = 0; jobs < 2; ++i) {
    ASSERT_TRUE(await_run([&] { cluster.Create(StrCat("{kind: Namespace, apiVersion: v1, metadata: {name: other-", i, "}}")); }));
  }
  // The second job is at work: it writes what is there already, so the API sends no event about it.
  ASSERT_TRUE(await_run([&] {
    cluster.Create(
        "{kind: DeviceClass, apiVersion: resource.k8s.io/v1, metadata: {name: other}, spec: {extendedResourceName: example.com/gpu}}");
  }));
  ASSERT_TRUE(await_run([&] { relay.HoldBack(nullptr); }));
  go_on = true;
  EXPECT_TRUE(TestCluster::Await([&] {
    const kube::ObjectPtr claim = MadeFor(cluster, "a");
    return claim != nullptr && Contains(json::Write(claim->json()["spec"]), "\"other\"");
  })) << cluster.log();
}

TEST(ExtendedClaim, OneMadeBeforeACrashWithOtherClassesIsMadeAgain) {
  TestCluster cluster(1, 24);
  AddClass(cluster);
  AddAsking(cluster, "a", "1");
  const kube::ObjectPtr pod = cluster.Get(kube::types::kPods, "a");
  ASSERT_OK(cluster.client().Create(kube::types::kResourceClaims, "lab",
                                    dialect::ClaimForResources(pod->json(), {{"nvidia.com/gpu", "gone"}}).claim));
  cluster.StartScheduler();
  ASSERT_TRUE(cluster.AwaitBound("a")) << cluster.log();
  EXPECT_EQ(cluster.Held(MadeFor(cluster, "a")), "gpu-0 24Gi for a");
}

TEST(ExtendedClaim, OneThatCannotBeMadeIsTriedAfterPausesThatOthersDoNotNotice) {
  std::atomic<int> tries = 0;
  TestCluster cluster(1, 24);
  AddClass(cluster);
  cluster.gatekeeper().Set([&](const apiserver::AdmissionRequest& request, const json::Value&) -> Status {
    const bool makes =
        request.kind.type.plural == "resourceclaims" && request.operation == apiserver::Operation::kCreate && !request.dry_run;
    return makes && ++tries > 0 ? Invalid("no claims today") : Status();
  });
  SchedulerOptions options;
  options.pauses = {std::chrono::hours(1), std::chrono::hours(1)};
  cluster.StartScheduler(options);
  AddAsking(cluster, "a", "1");
  ASSERT_TRUE(cluster.Await([&] { return tries == 1; }));
  for (int i = 0; i < 20; ++i) {
    cluster.AddPod(StrCat("p", i), "");
    ASSERT_TRUE(cluster.AwaitBound(StrCat("p", i)));
  }
  EXPECT_EQ(tries, 1);
  EXPECT_TRUE(cluster.Await([&] { return cluster.EventsOf("a").find("no claims today") != std::string::npos; })) << cluster.EventsOf("a");
}

TEST(ExtendedClaim, MoreThanAnythingHasIsToldSo) {
  TestCluster cluster(1, 24);
  AddClass(cluster);
  cluster.StartScheduler();
  for (const char* amount : {"33", "2000000000", "10000000000000000000"}) {
    const std::string name = StrCat("a", amount);
    AddAsking(cluster, name, amount);
    EXPECT_TRUE(cluster.Await([&] { return cluster.Scheduled(name).ends_with(" exceeds the claim limit of 32"); }))
        << cluster.Scheduled(name);
  }
}

TEST(ExtendedClaim, APodThatHasEndedGivesItsGpuBack) {
  TestCluster cluster(1, 24);
  AddClass(cluster);
  cluster.StartScheduler();
  AddAsking(cluster, "a", "1");
  ASSERT_TRUE(cluster.AwaitBound("a"));  // before b comes: claims of several Pods are made at the same time, in any order
  AddAsking(cluster, "b", "1");
  ASSERT_TRUE(cluster.Await([&] { return cluster.Scheduled("b").starts_with("False Unschedulable: 0/1 nodes fit"); }))
      << cluster.Scheduled("b");
  ASSERT_OK(
      cluster.client().Patch(kube::types::kPods, "lab", "a", kube::PatchType::kMerge, R"({"status":{"phase":"Succeeded"}})", "status"));
  EXPECT_TRUE(cluster.AwaitBound("b")) << cluster.Scheduled("b");
  EXPECT_TRUE(cluster.Await([&] { return MadeFor(cluster, "a") == nullptr; }));
}

TEST(ExtendedClaim, GatesHoldItBack) {
  TestCluster cluster(1, 24);
  AddClass(cluster);
  Scheduler& scheduler = cluster.StartScheduler();
  AddAsking(cluster, "a", "1", ", schedulingGates: [{name: example.com/quota}]");
  ASSERT_TRUE(cluster.Await([&] { return scheduler.counts().waiting == 1; }));
  AddAsking(cluster, "b", "1");
  ASSERT_TRUE(cluster.AwaitBound("b"));
  EXPECT_EQ(MadeFor(cluster, "a"), nullptr);
  ASSERT_OK(cluster.client().Patch(kube::types::kPods, "lab", "a", kube::PatchType::kMerge, R"({"spec":{"schedulingGates":[]}})"));
  EXPECT_TRUE(cluster.Await([&] { return MadeFor(cluster, "a") != nullptr; }));
}

}  // namespace
}  // namespace allot::control
