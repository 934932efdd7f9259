#include "base/test_util.h"
#include "cli/doctor_checks.h"
#include "cli/fake_cluster.h"
#include "json/json.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

// What the doctor says, with the lines joined that were wrapped.
std::string Diagnosis(FakeCluster& cluster, int code, std::vector<std::string> words = {"doctor"}) {
  const FakeApi::Outcome outcome = cluster.Run(std::move(words));
  EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
  std::string joined;
  bool space = false;
  for (const char c : outcome.out) {
    const bool is_space = c == ' ' || c == '\n';
    if (is_space && space) continue;
    joined += is_space ? ' ' : c;
    space = is_space;
  }
  return joined;
}

TEST(Doctor, AHealthyClusterIsReady) {
  FakeCluster cluster = HealthyCluster();
  const FakeApi::Outcome outcome = cluster.Run({"doctor"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("ok       resource.k8s.io/v1: served\n"), HasSubstr("ok       n1, n2: 1 GPU is offered\n"),
                                 HasSubstr("ok       n1, n2: container runtime containerd://2.1.4, with CDI\n"),
                                 HasSubstr("agents: DaemonSet gpus/agents, 2 of 2 ready"), HasSubstr("\nReady: nothing failed.\n"),
                                 Not(HasSubstr("->")), Not(HasSubstr("kube-scheduler"))));
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

TEST(Doctor, WithoutAgentsItSaysHowToInstallThem) {
  FakeCluster cluster = HealthyCluster();
  cluster.daemon_sets = cluster.agents = "";
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("but GPUs are offered on n1, n2: started by hand?"));
  cluster.slices = cluster.claims = "";
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("FAILED agents: there is no DaemonSet"),
                                           HasSubstr("helm install nvidia-dra-driver-gpu ./deployments/helm/nvidia-dra-driver-gpu "
                                                     "--namespace nvidia-dra-driver-gpu --create-namespace --set image.repository=")));
}

// The diagnosis where n1's agent has this container status and log.
std::string AgentDiagnosis(std::string_view container, std::string_view log = "", int code = 1) {
  FakeCluster cluster = HealthyCluster();
  cluster.agents = StrCat(FakeAgent("n1", "False", container), ",", FakeAgent("n2", "True", R"("state":{"running":{}})"));
  cluster.log = log;
  return Diagnosis(cluster, code);
}

TEST(Doctor, AnAgentThatDoesNotStartSaysWhy) {
  EXPECT_THAT(AgentDiagnosis(R"("state":{"waiting":{"reason":"ImagePullBackOff","message":"not found"}})"),
              AllOf(HasSubstr("FAILED agent on n1: ImagePullBackOff of reg/allot:v1: not found"), HasSubstr("imagePullSecrets")));
  EXPECT_THAT(AgentDiagnosis(R"("state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m"}},
                "lastState":{"terminated":{"exitCode":1,"message":"error: node config: mode: \"share\" is not known\n"}})"),
              AllOf(HasSubstr("CrashLoopBackOff (exit code 1): error: node config"), HasSubstr("docs/node-config.md")));
  EXPECT_THAT(AgentDiagnosis(R"("state":{"waiting":{"reason":"ContainerCreating"}})", "", 0),
              HasSubstr("warning agent on n1: is being started"));
}

TEST(Doctor, AnAgentThatIsNotReadySaysItInItsLog) {
  constexpr std::string_view kRunning = R"("state":{"running":{}})";
  EXPECT_THAT(
      AgentDiagnosis(kRunning,
                     "2026-11-16T03:52:04.986Z ERROR no GPUs error=\"no libnvidia-ml.so.1 under the driver root \\\"/\\\"\"\n"
                     "2026-11-16T03:52:05.986Z INFO serving node=n1\n"),
      AllOf(HasSubstr("is not ready: no GPUs: no libnvidia-ml.so.1 under the driver root \"/\""), HasSubstr("install the NVIDIA driver")));
  EXPECT_THAT(AgentDiagnosis(kRunning, R"({"level":"ERROR","message":"not all is published","error":"... DRAConsumableCapacity ..."})"),
              AllOf(HasSubstr("not all is published: ... DRAConsumableCapacity"), HasSubstr("switch the gate on")));
  EXPECT_THAT(AgentDiagnosis(kRunning, "2026-11-16T03:52:04.986Z INFO fine\n"),
              AllOf(HasSubstr("agent on n1: runs, but is not ready"), HasSubstr("kubectl logs -n gpus agent-n1")));
}

TEST(Doctor, EachTroubleOfTheManualHasAdvice) {
  for (const std::string_view says : {"another DRA driver is already registered", "a device plugin already hands out the GPUs",
                                      "device node /dev/nvidia0 of gpu-0 is missing", "nodes \"n1\" is forbidden"}) {
    Finding finding;
    Advise(says, "-n x y", finding);
    EXPECT_THAT(finding.command, AllOf(Not(HasSubstr("kubectl logs")), Not(testing::IsEmpty()))) << says;
  }
}

TEST(Doctor, NodesWithoutAnAgentAreGroupedWithTheReason) {
  FakeCluster cluster = HealthyCluster();
  for (const char* const name : {"c1", "c2", "c3", "c4", "c5"}) {
    cluster.nodes += StrCat(R"(,{"metadata":{"name":")", name, R"("},"spec":{"taints":[{"key":"control-plane","effect":"NoSchedule"}]}})");
  }
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("warning c1, c2 and 3 more: no agent; of the DaemonSet, it does not tolerate the taint "
                                               "control-plane:NoSchedule"));
}

TEST(Doctor, RuntimesWithoutCdiAreFound) {
  const auto with = [](std::string_view runtime, int code) {
    FakeCluster cluster = HealthyCluster();
    cluster.nodes = StrCat(FakeNode("n1", runtime), ",", FakeNode("n2"));
    return Diagnosis(cluster, code);
  };
  EXPECT_THAT(with("containerd://1.7.24", 0),
              AllOf(HasSubstr("warning n1: container runtime containerd://1.7.24"), HasSubstr("enable_cdi = true")));
  EXPECT_THAT(with("containerd://1.6.1", 1), HasSubstr("FAILED n1: container runtime containerd://1.6.1"));
  EXPECT_THAT(with("cri-o://1.28.0", 0), HasSubstr("ok n1: container runtime cri-o://1.28.0"));
  EXPECT_THAT(with("cri-o://1.25.0", 0), HasSubstr("warning n1: container runtime cri-o://1.25.0"));
  EXPECT_THAT(with("docker://20.10.0", 1), HasSubstr("FAILED n1: container runtime docker://20.10.0"));
}

TEST(Doctor, ADevicePluginBesideTheAgentIsARival) {
  FakeCluster cluster = HealthyCluster();
  cluster.nodes = StrCat(FakeNode("n1", "containerd://2.0.0", R"({"nvidia.com/gpu":"2"})"), ",", FakeNode("n2"));
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("warning n1: a device plugin offers nvidia.com/gpu: 2, too"));
}

TEST(Doctor, UnhealthyDevicesAndIncompletePoolsAreWarnings) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims = "";
  cluster.slices = StrCat(
      FakeSlice("n1",
                FakeGpu("gpu-0",
                        R"("allowMultipleAllocations":true,"taints":[{"key":"gpu.nvidia.com/xid","value":"48","effect":"NoSchedule"}])")),
      ",", FakeSlice("n2", FakeGpu("gpu-0"), 3));
  EXPECT_THAT(Diagnosis(cluster, 0),
              AllOf(HasSubstr("warning n1/gpu-0: unhealthy: error XID 48"), HasSubstr("nvidia-smi --gpu-reset -i GPU-1"),
                    HasSubstr("warning n2: pool incomplete: 1 of 3 slices")));
}

TEST(Doctor, MissingRightsOfTheAgentFail) {
  FakeCluster cluster = HealthyCluster();
  cluster.lacks = "watch";
  EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr("FAILED rights of system:serviceaccount:gpus:sa: it may not watch resourceslices"));
  cluster.lacks = "";
  cluster.forbidden = "subjectaccessreviews";
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("unknown subjectaccessreviews.authorization.k8s.io: not seen"));
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

TEST(Doctor, ClaimsOnGoneOrOvercommittedDevicesAreFound) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims += StrCat(",", FakeClaim("c3", "gpu-0", "20Gi", "x"), ",", FakeClaim("c4", "gpu-7", "1Gi", "y"));
  EXPECT_THAT(Diagnosis(cluster, 1),
              AllOf(HasSubstr("FAILED n1/gpu-0: OVER-COMMITTED, 38912 of 24576 MiB are held by claims lab/c1, lab/c2, lab/c3"),
                    HasSubstr("warning n1/gpu-7: gone, no slice offers it any more, but claim lab/c4 holds it")));
}

TEST(Doctor, WhatMayNotBeSeenIsUnknownAndNoFailure) {
  for (const char* const part : {"/nodes", "/resourceclaims", "/resourceslices", "/deviceclasses", "/daemonsets", "/pods"}) {
    FakeCluster cluster = HealthyCluster();
    cluster.forbidden = part;
    EXPECT_THAT(Diagnosis(cluster, 0), AllOf(HasSubstr("unknown"), HasSubstr("kubectl auth can-i"))) << part;
  }
}

TEST(Doctor, AgentsAreLookedForInTheNamespace) {
  FakeCluster cluster = HealthyCluster();
  Diagnosis(cluster, 0, {"doctor", "-n", "gpus"});
  EXPECT_THAT(cluster.requests, testing::Contains(HasSubstr("/namespaces/gpus/daemonsets?labelSelector=")));
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
