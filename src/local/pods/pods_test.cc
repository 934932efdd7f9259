#include "local/pods/pods.h"

#include <sys/wait.h>

#include "local/test_node.h"

namespace allot::local {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

class PodsTest : public NodeTest {};

TEST_F(PodsTest, APodThatEndsWellSucceeds) {
  StartPods();
  Create(PodJson("a", "echo hello"));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded")) << lines;
  EXPECT_EQ(ContainerText("a"), "terminated 0 Completed restarts 0");
  EXPECT_EQ(Condition("a", "Ready"), "False PodCompleted");
  EXPECT_EQ(Condition("a", "Initialized"), "True PodCompleted");
  const auto pod = Get("a");
  const json::Value& status = pod->json()["status"];
  EXPECT_EQ(json::TextOf(status["podIP"]), "127.0.0.1");
  EXPECT_EQ(json::TextOf(status["hostIP"]), "127.0.0.1");
  EXPECT_EQ(json::TextOf(status["qosClass"]), "BestEffort");
  EXPECT_EQ(json::TextOf(json::ItemsOf(status["containerStatuses"])[0]["containerID"]), StrCat("process://", pod->uid(), "/c/0"));
  EXPECT_EQ(json::TextOf(json::ItemsOf(status["containerStatuses"])[0]["image"]), "example.com/none:1");
  EXPECT_EQ(Logs("a"), "hello\n");
}

TEST_F(PodsTest, StopReturnsTheNumberOfRunningPods) {
  StartPods();
  Create(PodJson("ended", "true"));
  Create(PodJson("a", "sleep 1000"));
  ASSERT_TRUE(AwaitPhase("ended", "Succeeded"));
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  EXPECT_EQ(pods->Stop(), 1U);
}

TEST_F(PodsTest, APodWhoseContainerFailsFailsWithItsExitCodeAndItsLastWords) {
  StartPods();
  Create(PodJson("a", "echo last words; exit 3", "", R"("terminationMessagePolicy":"FallbackToLogsOnError")"));
  ASSERT_TRUE(AwaitPhase("a", "Failed"));
  EXPECT_EQ(ContainerText("a"), "terminated 3 Error restarts 0");
  const auto pod = Get("a");
  EXPECT_EQ(json::TextOf(json::ItemsOf(pod->json()["status"]["containerStatuses"])[0]["state"]["terminated"]["message"]), "last words\n");
}

TEST_F(PodsTest, ARunningPodIsReadyAndItsDeletionEndsItWithinItsGrace) {
  StartPods();
  Create(PodJson("a", "trap 'echo told; exit 0' TERM; echo ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  EXPECT_EQ(Condition("a", "Ready"), "True ");
  EXPECT_EQ(Condition("a", "PodReadyToStartContainers"), "True ");
  const std::string run = RunFolder("a");
  ASSERT_TRUE(Eventually([&] { return LogText(run) == "ready\n"; }));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "a"));
  ASSERT_TRUE(AwaitPhase("a", "gone"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  ASSERT_TRUE(Eventually([&] { return pods->size() == 0; }));
  EXPECT_FALSE(std::filesystem::exists(run));
  EXPECT_FALSE(std::filesystem::exists(folder / "pods/n1/default"));
}

TEST_F(PodsTest, AContainerThatIgnoresSigtermIsKilledAfterTheGracePeriod) {
  StartPods();
  Create(PodJson("a", "trap '' TERM; echo ready; while :; do sleep 0.01; done", R"("terminationGracePeriodSeconds":1)"));
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  const std::string run = RunFolder("a");
  ASSERT_TRUE(Eventually([&] { return LogText(run) == "ready\n"; }));
  ASSERT_OK_AND_ASSIGN(const ContainerBirth birth, ReadBirth(files, run));
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "a"));
  ASSERT_TRUE(AwaitPhase("a", "gone"));
  EXPECT_FALSE(IsAlive(birth.main));
}

TEST_F(PodsTest, AForceDeletedPodIsEndedToo) {
  StartPods();
  Create(PodJson("a", "trap '' TERM; while :; do sleep 0.01; done"));
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  ASSERT_OK_AND_ASSIGN(const ContainerBirth birth, ReadBirth(files, RunFolder("a")));
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "a", {.grace_seconds = 0}));
  EXPECT_TRUE(Eventually([&] { return pods->size() == 0; }));
  EXPECT_FALSE(IsAlive(birth.main));
}

TEST_F(PodsTest, InitContainersRunInOrderAndTheirFailureIsThePods) {
  StartPods();
  const std::string order = folder / "order";
  const auto append = [&](const std::string& word) { return StrCat("sleep 0.05; echo ", word, " >> ", order); };
  Create(PodJson("a", append("main"),
                 StrCat(R"("initContainers":[)", ContainerJson("i1", append("one")), ",", ContainerJson("i2", append("two")), "]")));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  EXPECT_EQ(FileText(order), "one\ntwo\nmain\n");
  EXPECT_EQ(ContainerText("a", "i2", "initContainerStatuses"), "terminated 0 Completed restarts 0");
  Create(PodJson("b", append("never"), StrCat(R"("initContainers":[)", ContainerJson("i", "exit 9"), "]")));
  ASSERT_TRUE(AwaitPhase("b", "Failed"));
  EXPECT_EQ(ContainerText("b"), "waiting PodInitializing restarts 0");
  EXPECT_EQ(FileText(order), "one\ntwo\nmain\n");
}

TEST_F(PodsTest, ASidecarStartsFirstAndIsEndedWhenTheWorkIsDone) {
  StartPods();
  const std::string up = folder / "up";
  Create(PodJson("a", StrCat("cat ", up),
                 StrCat(R"("initContainers":[)",
                        ContainerJson("side", StrCat("trap 'echo bye; exit 0' TERM; echo up > ", up, "; while :; do sleep 0.01; done"),
                                      R"("restartPolicy":"Always")"),
                        ",", ContainerJson("wait", StrCat("while [ ! -s ", up, " ]; do sleep 0.01; done")), "]")));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded")) << ContainerText("a") << lines;
  EXPECT_EQ(Logs("a", "container=c"), "up\n");
  EXPECT_EQ(Logs("a", "container=side"), "bye\n");
  EXPECT_EQ(ContainerText("a", "side", "initContainerStatuses"), "terminated 0 Completed restarts 0");
}

TEST_F(PodsTest, ARestartIsAtOnceThenAfterAPauseThatGrows) {
  StartPods();
  Create(PodJson("a", "echo try; exit 1", R"("restartPolicy":"Always")"));
  ASSERT_TRUE(Eventually([&] { return ContainerText("a") == "waiting CrashLoopBackOff restarts 1"; })) << ContainerText("a");
  EXPECT_EQ(Phase("a"), "Running");
  EXPECT_EQ(Condition("a", "Ready"), "False ContainersNotReady");
  ASSERT_TRUE(Eventually([&] { return ContainerText("a") == "waiting CrashLoopBackOff restarts 3"; }));
  const auto time = [&](int attempt, auto read) { return read(files, RunFolder("a", "c", attempt)); };
  ASSERT_OK_AND_ASSIGN(const ContainerExit second, time(2, ReadExit));
  ASSERT_OK_AND_ASSIGN(const ContainerBirth third, time(3, ReadBirth));
  EXPECT_GE(third.started_at - second.finished_at, milliseconds(600));
  // The last two runs are kept with their logs.
  EXPECT_FALSE(std::filesystem::exists(RunFolder("a", "c", 1)));
  EXPECT_EQ(Logs("a", "previous=true"), "try\n");
  const auto pod = Get("a");
  const json::Value& status = json::ItemsOf(pod->json()["status"]["containerStatuses"])[0];
  EXPECT_EQ(status["lastState"]["terminated"]["exitCode"].NumberText(), "1");
  EXPECT_THAT(std::string(json::TextOf(status["state"]["waiting"]["message"])), HasSubstr("restarting failed container=c pod=a_default("));
}

TEST_F(PodsTest, OnFailureRestartsUntilItWorks) {
  StartPods();
  const std::string mark = folder / "mark";
  Create(PodJson("a", StrCat("if [ -e ", mark, " ]; then exit 0; fi; touch ", mark, "; exit 1"), R"("restartPolicy":"OnFailure")"));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  EXPECT_EQ(ContainerText("a"), "terminated 0 Completed restarts 1");
}

TEST_F(PodsTest, AMissingProgramIsInTheStatus) {
  StartPods();
  Create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default"},"spec":{"nodeName":"n1","restartPolicy":"Never",
             "containers":[{"name":"c","image":"x","command":["no-such-program"]}]}})");
  ASSERT_TRUE(AwaitPhase("a", "Failed"));
  EXPECT_EQ(ContainerText("a"), "terminated 127 StartError restarts 0");
}

TEST_F(PodsTest, TheDeadlineEndsAPod) {
  StartPods();
  Create(PodJson("a", "sleep 1000", R"("activeDeadlineSeconds":1,"terminationGracePeriodSeconds":1)"));
  ASSERT_TRUE(AwaitPhase("a", "Failed"));
  const auto pod = Get("a");
  EXPECT_EQ(json::TextOf(pod->json()["status"]["reason"]), "DeadlineExceeded");
  EXPECT_EQ(ContainerText("a"), "terminated 143 Error restarts 0");
}

TEST_F(PodsTest, EnvironmentAndArgumentsAreAsKubernetesMakesThem) {
  StartPods();
  Create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm","namespace":"default"},"data":{"K":"from map","L":"2"}})",
         kube::types::kConfigMaps);
  static const kube::ResourceType kSecrets{"", "v1", "secrets", "Secret", true};
  Create(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"},"stringData":{"token":"hidden"}})", kSecrets);
  Create(R"JSON({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default","labels":{"app":"x"}},
    "spec":{"nodeName":"n1","restartPolicy":"Never","containers":[{"name":"c","image":"x","workingDir":"/usr",
      "resources":{"limits":{"memory":"64Mi","cpu":"1500m"}},
      "command":["/bin/sh","-c","echo $0 $1 $MINE $CPU $MEM $NODE $LABEL $TOKEN $P_K $HOSTNAME $(pwd) $HOME $MISSING","$(MINE)"],
      "args":["$$(MINE)$(NOBODY)"],
      "envFrom":[{"prefix":"P_","configMapRef":{"name":"cm"}},{"secretRef":{"name":"none","optional":true}}],
      "env":[{"name":"BASE","value":"b"},{"name":"MINE","value":"$(BASE)-$(P_L)"},
        {"name":"CPU","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}},
        {"name":"MEM","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}},
        {"name":"NODE","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}},
        {"name":"LABEL","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['app']"}}},
        {"name":"TOKEN","valueFrom":{"secretKeyRef":{"name":"s","key":"token"}}},
        {"name":"MISSING","valueFrom":{"configMapKeyRef":{"name":"cm","key":"none","optional":true}}}]}]}})JSON");
  ASSERT_TRUE(AwaitPhase("a", "Succeeded")) << ContainerText("a");
  EXPECT_EQ(Logs("a"), StrCat("b-2 $(MINE)$(NOBODY) b-2 2 64 n1 x hidden from map a /usr ", ::getenv("HOME"), "\n"));
}

TEST_F(PodsTest, APodWaitsForAMissingConfigMap) {
  StartPods();
  Create(PodJson("a", "echo $V", "", R"("env":[{"name":"V","valueFrom":{"configMapKeyRef":{"name":"late","key":"k"}}}])"));
  ASSERT_TRUE(Eventually([&] { return ContainerText("a") == "waiting CreateContainerConfigError restarts 0"; }));
  EXPECT_EQ(Phase("a"), "Pending");
  Create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"late","namespace":"default"},"data":{"k":"now"}})",
         kube::types::kConfigMaps);
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  EXPECT_EQ(Logs("a"), "now\n");
}

TEST_F(PodsTest, StatusIsWrittenOnlyWhenItSaysSomethingNew) {
  StartPods();
  Create(PodJson("a", "sleep 1000"));
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  const std::string version(Get("a")->resource_version());
  // Changes of other fields do not change the status.
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(client->Patch(kube::types::kPods, "default", "a", kube::PatchType::kMerge,
                            StrCat(R"({"metadata":{"labels":{"n":")", i, R"("}}})")));
  }
  ASSERT_OK_AND_ASSIGN(const auto last, client->Get(kube::types::kPods, "default", "a"));
  Create(PodJson("b", "true"));
  ASSERT_TRUE(AwaitPhase("b", "Succeeded"));
  EXPECT_EQ(Get("a")->resource_version(), last->resource_version());
  EXPECT_NE(Get("a")->resource_version(), version);
}

TEST_F(PodsTest, APodThatCannotRunHereIsRefusedWithItsFields) {
  StartPods();
  const auto answer = client->Create(
      kube::types::kPods, "default",
      PodJson("a", "true", R"("volumes":[{"name":"v","emptyDir":{}}])", R"("volumeMounts":[{"name":"v","mountPath":"/v"}])"));
  ASSERT_FALSE(answer.ok());
  const kube::ApiError* error = kube::ApiErrorOf(answer.status());
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->http_status, 422);
  ASSERT_EQ(error->causes.size(), 1U);
  EXPECT_EQ(error->causes[0].field, "spec.containers[0].volumeMounts");
  EXPECT_THAT(error->message, HasSubstr("nothing can be mounted"));
}

TEST_F(PodsTest, HundredPodsAtOnce) {
  StartPods();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) Create(PodJson(StrCat("p", i), StrCat("echo ", i)));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(AwaitPhase(StrCat("p", i), "Succeeded")) << i << ContainerText(StrCat("p", i));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Logs(StrCat("p", i)), StrCat(i, "\n"));
  RecordProperty("seconds", std::to_string(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
}

TEST_F(PodsTest, AContainerThatStartsLateIsFoundAndEndsBeforeItsPodDoes) {
  shims.shim = {"/proc/self/exe", "slow-shim"};
  StartPods();
  for (const bool ends_at_once : {false, true}) {
    const std::string started = folder / StrCat("started-", ends_at_once);
    Create(PodJson("a", StrCat("echo $$$$ >>", started, "; exec sleep 1000")));
    ASSERT_TRUE(Eventually([&] { return ContainerText("a") == "waiting RunContainerError restarts 0"; }));
    if (!ends_at_once) {
      ASSERT_TRUE(AwaitPhase("a", "Running"));
      ASSERT_TRUE(Eventually([&] { return FileText(started).ends_with("\n"); }));
    }
    ASSERT_OK(client->Delete(kube::types::kPods, "default", "a", {.grace_seconds = 1}));
    ASSERT_TRUE(AwaitPhase("a", "gone"));
    const std::string pids = FileText(started);  // one line, or none if the Pod was deleted before the program started
    EXPECT_LE(std::count(pids.begin(), pids.end(), '\n'), 1) << pids;
    if (pids.ends_with("\n")) {
      EXPECT_NE(::kill(std::stoi(pids), 0), 0);
    }
    EXPECT_TRUE(ends_at_once || !pids.empty());
  }
}

}  // namespace
}  // namespace allot::local
