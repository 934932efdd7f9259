#include "base/test_util.h"
#include "cli/fake_cluster.h"
#include "json/json.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

TEST(Doctor, AHealthyClusterIsReady) {
  FakeCluster cluster = HealthyCluster();
  const FakeApi::Outcome outcome = cluster.Run({"doctor"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("ok       resource.k8s.io/v1: served\n"), HasSubstr("ok       n1, n2: 1 GPU is offered, shared\n"),
                    HasSubstr("ok       n1, n2: container runtime containerd://2.1.4, with CDI\n"),
                    HasSubstr("agents: DaemonSet gpus/agents, 2 of 2 ready"), HasSubstr("\nReady: nothing failed.\n"), Not(HasSubstr("->")),
                    Not(HasSubstr("kube-scheduler"))));
}

TEST(Doctor, NothingIsChangedInTheCluster) {
  FakeCluster cluster = HealthyCluster();
  cluster.Run({"doctor"});
  for (const std::string& request : cluster.requests) {
    if (request.starts_with("GET ")) continue;
    EXPECT_TRUE(request.find("dryRun=All") != std::string::npos || request.ends_with("/subjectaccessreviews")) << request;
  }
}

TEST(Doctor, AServerThatDoesNotAnswerIsTheOnlyFinding) {
  const std::vector<std::string_view> words = {"doctor", "--server=http://127.0.0.1:1", "--kubeconfig=/dev/null"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(RunProgram(words), 1);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), AllOf(HasSubstr("FAILED   API server:"), HasSubstr("Not ready: 1 failed.")));
}

TEST(Doctor, OldServersFail) {
  FakeCluster cluster = HealthyCluster();
  cluster.minor = "33+";
  cluster.has_resource_api = false;
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("FAILED API server: Kubernetes v1.33+.0"),
                                           HasSubstr("FAILED resource.k8s.io/v1: not served"), HasSubstr("2 failed")));
}

TEST(Doctor, GatesAreSeenByWhatTheServerDrops) {
  FakeCluster cluster = HealthyCluster();
  cluster.minor = "34";
  cluster.device_kept = R"("capacity":{"memory":{"value":"2Mi"}})";
  cluster.class_kept = "";
  EXPECT_THAT(Diagnosis(cluster, 1),
              AllOf(HasSubstr("FAILED gate DRAConsumableCapacity of the API server: off"),
                    HasSubstr("--feature-gates=DRAConsumableCapacity=true"), HasSubstr("warning gate DRADeviceTaints"),
                    HasSubstr("warning gate DRAExtendedResource"), HasSubstr("unknown gates of kube-scheduler")));
}

TEST(Doctor, AGateThatIsOffInANewServerWasSwitchedOff) {
  FakeCluster cluster = HealthyCluster();
  cluster.class_kept = "";
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("take DRAExtendedResource=false out of --feature-gates"));
}

TEST(Doctor, TheVersionThatAServerEmulatesCounts) {
  FakeCluster cluster = HealthyCluster();
  cluster.emulates = "33";
  EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr("that behaves as 1.33 at http"));
}

TEST(Doctor, WithoutTheRightToDryRunGatesAreUnknown) {
  FakeCluster cluster = HealthyCluster();
  cluster.forbidden = "dryRun";
  EXPECT_THAT(Diagnosis(cluster, 0),
              AllOf(HasSubstr("unknown gates DRAConsumableCapacity and DRADeviceTaints: not seen, as you may not create slices"),
                    HasSubstr("kubectl auth can-i create resourceslices.resource.k8s.io")));
}

TEST(Doctor, TheClassIsNeeded) {
  FakeCluster cluster = HealthyCluster();
  cluster.classes = R"({"metadata":{"name":"gpu.nvidia.com"},"spec":{}})";
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("warning class gpu.nvidia.com: does not select the driver"));
  cluster.classes = "";
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("FAILED class gpu.nvidia.com: does not exist"), HasSubstr("kubectl create -f -")));
}

TEST(Doctor, PodsThatWaitForPreparationOrCdiFail) {
  FakeCluster cluster = HealthyCluster();
  const auto pod = [](std::string_view status) {
    return StrCat(R"({"metadata":{"name":"late","namespace":"lab","uid":"u1"},"spec":{"nodeName":"n1","resourceClaims":[{"name":"gpu",
      "resourceClaimName":"c1"}]},"status":{"phase":"Pending")",
                  status, "}}");
  };
  cluster.pending =
      pod(R"(,"containerStatuses":[{"state":{"waiting":{"reason":"CreateContainerError","message":"unresolvable CDI devices x"}}}])");
  EXPECT_THAT(Diagnosis(cluster, 1),
              AllOf(HasSubstr("FAILED Pod lab/late on n1: the container runtime does not find its devices: unresolvable"),
                    HasSubstr("enable_cdi = true")));
  cluster.pending = pod("");
  cluster.events =
      R"({"reason":"FailedPrepareDynamicResources","involvedObject":{"uid":"u1"},"message":"plugin gpu.nvidia.com not registered"})";
  EXPECT_THAT(Diagnosis(cluster, 1),
              AllOf(HasSubstr("its devices cannot be prepared: plugin"), HasSubstr("--field-selector spec.nodeName=n1")));
}

// A Pod on n1 that does not run, and an event: its devices could not be prepared.
void AddUnprepared(FakeCluster& cluster, std::string_view claim, std::string_view status) {
  cluster.pending = StrCat(R"({"metadata":{"name":"late","namespace":"lab","uid":"u1"},"spec":{"nodeName":"n1","resourceClaims":[{
    "name":"x","resourceClaimName":")",
                           claim, R"("}]},"status":{"phase":"Pending",)", status, "}}");
  cluster.events = R"({"reason":"FailedPrepareDynamicResources","involvedObject":{"uid":"u1"},"message":"no luck"})";
}

TEST(Doctor, AnOldEventOfAPodThatIsPreparedIsNoFailure) {
  FakeCluster cluster = HealthyCluster();
  AddUnprepared(cluster, "c1", R"("conditions":[{"type":"PodReadyToStartContainers","status":"False"}])");
  EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr("its devices cannot be prepared: no luck"));
  AddUnprepared(cluster, "c1", R"("conditions":[{"type":"PodReadyToStartContainers","status":"True"}])");
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("ok Pods: none waits"));
}

TEST(Doctor, PodsThatWaitForDevicesOfOthersAreTheirs) {
  FakeCluster cluster = HealthyCluster();
  const auto claim = [](std::string_view device_class, std::string_view driver) {
    return StrCat(R"({"metadata":{"name":"nic","namespace":"lab","uid":"u9"},"spec":{"devices":{"requests":[{"name":"n","exactly":{
      "deviceClassName":")",
                  device_class, R"("}}]}},"status":{"allocation":{"devices":{"results":[{"driver":")", driver, R"("}]}}}})");
  };
  AddUnprepared(cluster, "nic", R"("conditions":[])");
  cluster.claims = claim("nic.example", "nic.example");
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("ok Pods: none waits"));
  for (const auto& [device_class, driver] : {std::pair("own", "gpu.nvidia.com"), std::pair("mig.nvidia.com", "x")}) {
    cluster.claims = claim(device_class, driver);
    EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr("FAILED Pod lab/late on n1"));
  }
  cluster.pending = R"({"metadata":{"name":"late","namespace":"lab","uid":"u1"},"spec":{"nodeName":"n1","containers":[{"resources":{
    "limits":{"nvidia.com/gpu":"1"}}}]},"status":{"phase":"Pending"}})";
  EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr("FAILED Pod lab/late on n1"));
}

TEST(Doctor, ClaimsOnGoneOrOvercommittedDevicesAreFound) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims += StrCat(",", FakeClaim("c3", "gpu-0", "20Gi", "x"), ",", FakeClaim("c4", "gpu-7", "1Gi", "y"));
  EXPECT_THAT(Diagnosis(cluster, 1),
              AllOf(HasSubstr("FAILED n1/gpu-0: OVER-COMMITTED, 38912 of 24576 MiB are held by claims lab/c1, lab/c2, lab/c3"),
                    HasSubstr("warning n1/gpu-7: gone, no slice offers it any more, but claim lab/c4 holds it")));
}

TEST(Doctor, AClaimWithoutAShareShowsThatTheSchedulersGateIsOff) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims = FakeClaim("c1", "gpu-0", "12Gi", "train", "");
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("FAILED gate DRAConsumableCapacity of kube-scheduler: off; claim lab/c1 got n1/gpu-0"),
                                           HasSubstr("take DRAConsumableCapacity=false out of --feature-gates of kube-scheduler")));
  cluster.minor = "35";
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("start kube-scheduler with --feature-gates=DRAConsumableCapacity=true"),
                                           Not(HasSubstr("unknown gates of kube-scheduler"))));
  cluster.minor = "36";
  cluster.slices = FakeSlice("n1", FakeGpu("gpu-0", ""));  // exclusive: no claim has a share of it
  EXPECT_THAT(Diagnosis(cluster, 0), Not(HasSubstr("kube-scheduler")));
}

TEST(Doctor, AShareThatWasGivenLaterShowsThatTheSchedulersGateIsOnByNow) {
  FakeCluster cluster = HealthyCluster();
  cluster.slices = FakeSlice("n1", StrCat(FakeGpu("gpu-0"), ",", FakeGpu("gpu-1")));
  std::string later = FakeClaim("c2", "gpu-1", "1Gi", "eval");
  later.replace(later.find("2020"), 4, "2021");
  cluster.claims = StrCat(FakeClaim("c1", "gpu-0", "1Gi", "train", ""), ",", later);
  EXPECT_THAT(Diagnosis(cluster, 0), Not(HasSubstr("kube-scheduler")));
}

TEST(Doctor, ACommandCannotControlTheTerminal) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims = FakeClaim("c1", "gpu-9", "1Gi", R"(p\u001b[31m)");
  EXPECT_THAT(Diagnosis(cluster, 1, {"doctor", "--before-uninstall"}), AllOf(HasSubstr("lab/p [31m: "), Not(HasSubstr("\x1b"))));
  cluster.claims = FakeClaim(R"(c\u001b[31m)", "gpu-9", "1Gi", "p");
  EXPECT_THAT(Diagnosis(cluster, 0), AllOf(HasSubstr("allot describe claim -n lab c [31m"), Not(HasSubstr("\x1b"))));
}

TEST(Doctor, WhatMayNotBeSeenIsUnknownAndNoFailure) {
  for (const char* const part : {"/nodes", "/resourceclaims", "/resourceslices", "/deviceclasses", "/daemonsets", "/pods"}) {
    FakeCluster cluster = HealthyCluster();
    cluster.forbidden = part;
    EXPECT_THAT(Diagnosis(cluster, 0), AllOf(HasSubstr("unknown"), HasSubstr("kubectl auth can-i"))) << part;
  }
}

TEST(Doctor, JsonHasTheSameFindings) {
  FakeCluster cluster = HealthyCluster();
  cluster.classes = "";
  const FakeApi::Outcome outcome = cluster.Run({"doctor", "-o", "json"});
  EXPECT_EQ(outcome.code, 1);
  ASSERT_OK_AND_ASSIGN(const json::Document document, json::Parse(outcome.out));
  EXPECT_EQ(json::Write(document.root()["ready"]), "false");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr(R"("verdict": "failed")"), HasSubstr(R"("check": "class")"), HasSubstr(R"("command": "kubectl create)")));
}

TEST(Doctor, BeforeUninstallNamesTheHoldersAndAsksForClaimsOnly) {
  FakeCluster cluster = HealthyCluster();
  const std::string text = Diagnosis(cluster, 1, {"doctor", "--before-uninstall"});
  EXPECT_THAT(text,
              AllOf(HasSubstr("lab/eval: 6144 MiB of n1/gpu-0 (claim c2)"), HasSubstr("lab/train: 12288 MiB"), HasSubstr("--no-hooks")));
  EXPECT_THAT(cluster.requests, Each(HasSubstr("/resourceclaims")));
  cluster.claims = FakeClaim("left", "gpu-0", "1Gi", "");
  EXPECT_THAT(Diagnosis(cluster, 0, {"doctor", "--before-uninstall"}), HasSubstr("the agents can be removed"));
  cluster.forbidden = "/resourceclaims";
  EXPECT_EQ(cluster.Run({"doctor", "--before-uninstall"}).code, 1);
}

}  // namespace
}  // namespace allot::cli
