#include <fstream>
#include <sstream>

#include "base/test_util.h"
#include "cli/doctor/words.h"
#include "cli/fake_cluster.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Doctor, OnOneMachineAgentsAndContainersAreThoseOfUp) {
  FakeCluster cluster = HealthyCluster();
  cluster.daemon_sets = cluster.agents = "";
  cluster.nodes =
      R"({"metadata":{"name":"n1","labels":{"allot.dev/local":"true"}},"status":{"nodeInfo":{"containerRuntimeVersion":"allot://processes"}}})";
  EXPECT_THAT(Diagnosis(cluster, 0), AllOf(HasSubstr("agents: allot up runs them"), Not(HasSubstr("helm install"))));
  cluster.slices = cluster.claims = "";
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("offers no GPU"), HasSubstr("allot up --gpus"), Not(HasSubstr("helm install"))));
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
                "lastState":{"terminated":{"exitCode":1,"message":"error: node config: mode: \"share\" is not known [NodeConfig]\n"}})"),
              AllOf(HasSubstr("CrashLoopBackOff (exit code 1): error: node config"), HasSubstr("docs/node-config.md")));
  EXPECT_THAT(AgentDiagnosis(R"("state":{"waiting":{"reason":"ContainerCreating"}})", "", 0),
              HasSubstr("warning agent on n1: is being started"));
}

TEST(Doctor, AnAgentThatIsNotReadySaysItInItsLog) {
  constexpr std::string_view kRunning = R"("state":{"running":{}})";
  EXPECT_THAT(
      AgentDiagnosis(kRunning,
                     "2026-11-16T03:52:04.986Z ERROR no GPUs error=\"no libnvidia-ml.so.1 under the driver root \\\"/\\\" [NoDriver]\"\n"
                     "2026-11-16T03:52:05.986Z INFO serving node=n1\n"),
      AllOf(HasSubstr("is not ready: no GPUs: no libnvidia-ml.so.1 under the driver root \"/\""), HasSubstr("install the NVIDIA driver")));
  EXPECT_THAT(
      AgentDiagnosis(kRunning,
                     R"({"level":"ERROR","message":"published 0 of 2 devices","error":"... DRAConsumableCapacity ... [NoSharing]"})"),
      AllOf(HasSubstr("published 0 of 2 devices: ... DRAConsumableCapacity"), HasSubstr("enable the feature gate")));
  EXPECT_THAT(AgentDiagnosis(kRunning, "2026-11-16T03:52:04.986Z INFO fine\n"),
              AllOf(HasSubstr("agent on n1: runs, but is not ready"), HasSubstr("kubectl logs -n gpus agent-n1")));
}

TEST(Doctor, EachTroubleWithACodeIsInTheManualAndHasAdvice) {
  using view::Trouble;
  std::stringstream manual;
  manual << std::ifstream(ALLOT_DOCS "/node.md").rdbuf();
  for (const Trouble trouble : {Trouble::kNoDriver, Trouble::kOtherDriver, Trouble::kDevicePlugin, Trouble::kNoDeviceNode,
                                Trouble::kNotFree, Trouble::kNodeConfig}) {
    EXPECT_THAT(manual.str(), HasSubstr(StrCat("`", model::CodeOf(trouble), "`")));
    const view::Finding finding{.verdict = view::Finding::Verdict::kFailed, .kind = view::Finding::Kind::kNotPrepared, .trouble = trouble};
    const Advice advice = AdviceFor(finding);
    EXPECT_THAT(StrCat(advice.text, advice.command), AllOf(Not(HasSubstr("kubectl logs")), Not(testing::IsEmpty())))
        << model::CodeOf(trouble);
  }
}

TEST(Doctor, NodesWithoutAnAgentAreGroupedWithTheReason) {
  FakeCluster cluster = HealthyCluster();
  for (const char* const name : {"c1", "c2", "c3", "c4", "c5"}) {
    cluster.nodes += StrCat(R"(,{"metadata":{"name":")", name, R"("},"spec":{"taints":[{"key":"control-plane","effect":"NoSchedule"}]}})");
  }
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("warning c1, c2 and 3 more: no agent: the DaemonSet does not tolerate the taint "
                                               "control-plane:NoSchedule"));
}

TEST(Doctor, MissingRightsOfTheAgentFail) {
  FakeCluster cluster = HealthyCluster();
  cluster.lacks = "watch";
  EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr("FAILED rights of system:serviceaccount:gpus:sa: it may not watch resourceslices"));
  cluster.lacks = "";
  cluster.forbidden = "subjectaccessreviews";
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("unknown subjectaccessreviews.authorization.k8s.io: not seen"));
}

TEST(Doctor, AgentsAreLookedForInTheNamespace) {
  FakeCluster cluster = HealthyCluster();
  Diagnosis(cluster, 0, {"doctor", "-n", "gpus"});
  EXPECT_THAT(cluster.requests, testing::Contains(HasSubstr("/namespaces/gpus/daemonsets?labelSelector=")));
}

TEST(Doctor, NvidiasOwnDriverIsNotTakenForOurs) {
  FakeCluster cluster = HealthyCluster();
  cluster.nvidias_sets = FakeDaemonSet(2, 2, 2, "nvidias");
  EXPECT_THAT(Diagnosis(cluster, 0), Not(HasSubstr("NVIDIA's own")));  // ours is there, too
  cluster.daemon_sets = cluster.agents = "";
  EXPECT_THAT(Diagnosis(cluster, 1),
              AllOf(HasSubstr("FAILED agents: NVIDIA's own DRA driver is installed (DaemonSet gpus/nvidias)"), HasSubstr("docs/chart.md"),
                    HasSubstr("helm uninstall sharing -n gpus"), Not(HasSubstr("by hand?")), Not(HasSubstr("rights of"))));
}

TEST(Doctor, ADaemonSetWithoutItsPodsFails) {
  FakeCluster cluster = HealthyCluster();
  cluster.daemon_sets = FakeDaemonSet(2, 1, 1);
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("FAILED agents: DaemonSet gpus/agents, 1 of 2 ready: 1 of 2 Pods is made"),
                                           HasSubstr("kubectl describe daemonset -n gpus agents")));
  cluster.daemon_sets = FakeDaemonSet(2, 2, 2);
  cluster.agents = "";
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("FAILED agents: DaemonSet gpus/agents, 2 of 2 ready: it has no Pods"),
                                           HasSubstr("kubectl describe daemonset -n gpus agents")));
  cluster.daemon_sets = FakeDaemonSet(0, 0, 0);
  EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr("FAILED agents: DaemonSet gpus/agents, 0 of 0 ready: it fits no node"));
}

TEST(Doctor, AgentsOfWhichNoneIsReadyAreNoReadyCluster) {
  FakeCluster cluster = HealthyCluster();
  constexpr std::string_view kStarts = R"("state":{"waiting":{"reason":"ContainerCreating"}})";
  cluster.agents = StrCat(FakeAgent("n1", "False", kStarts), ",", FakeAgent("n2", "False", kStarts));
  cluster.daemon_sets = FakeDaemonSet(2, 2, 0);
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("FAILED agents: DaemonSet gpus/agents, 0 of 2 ready"), HasSubstr("Not ready")));
}

TEST(Doctor, PodsThatWaitForTheirRemovalAndJobsAreNoAgents) {
  FakeCluster cluster = HealthyCluster();
  cluster.agents = R"({"metadata":{"name":"guard","namespace":"gpus","ownerReferences":[{"kind":"Job","name":"agents"}]}},
    {"metadata":{"name":"old","namespace":"gpus","deletionTimestamp":"2026-01-01T00:00:00Z",
    "ownerReferences":[{"kind":"DaemonSet","name":"agents"}]}})";
  EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr("it has no Pods"));
}

TEST(Doctor, EventsThatTheAgentMayNotWriteAreAWarning) {
  FakeCluster cluster = HealthyCluster();
  cluster.lacks = "patch";
  EXPECT_THAT(Diagnosis(cluster, 0), AllOf(HasSubstr("warning rights of system:serviceaccount:gpus:sa: it may not patch events in gpus"),
                                           HasSubstr("the chart's Role")));
}

TEST(Doctor, TheReleaseIsUpgradedWhereItIs) {
  FakeCluster cluster = HealthyCluster();
  cluster.lacks = "watch";
  constexpr std::string_view kUpgrade = "helm upgrade sharing ./deployments/helm/nvidia-dra-driver-gpu -n gpus --reuse-values";
  EXPECT_THAT(Diagnosis(cluster, 1), HasSubstr(kUpgrade));
  EXPECT_THAT(AgentDiagnosis(R"("state":{"running":{}})", "error: no libnvidia-ml.so.1 [NoDriver]\n"),
              HasSubstr(StrCat(kUpgrade, " --set nvidiaDriverRoot=/run/nvidia/driver")));
}

}  // namespace
}  // namespace allot::cli
