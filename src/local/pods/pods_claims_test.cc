// Pods and their claims: no container starts before its claims are prepared, and no claim is unprepared while a container runs.

#include "local/pods/pods.h"
#include "local/test_node.h"
#include "tests/support/requirements.h"

namespace allot::local {
namespace {

using ::testing::HasSubstr;

class PodsClaimsTest : public NodeTest {
 protected:
  void CreateClaim(const std::string& name) {
    Create(StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")", name, R"(","namespace":"default"},
           "spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.nvidia.com"}},
                                          {"name":"more","exactly":{"deviceClassName":"gpu.nvidia.com"}}]}}})"),
           kube::types::kResourceClaims);
  }
  // Allocates the claim and reserves it for these Pods, as the scheduler does.
  void Allocate(const std::string& claim, const std::vector<std::string>& names) {
    std::string users;
    for (const std::string& name : names) {
      users += StrCat(users.empty() ? "" : ",", R"({"resource":"pods","name":")", name, R"(","uid":")", Get(name)->uid(), R"("})");
    }
    ASSERT_OK(client->Patch(kube::types::kResourceClaims, "default", claim, kube::PatchType::kMerge,
                            StrCat(R"({"status":{"allocation":{"devices":{"results":[
                                {"request":"gpu","driver":"gpu.nvidia.com","pool":"n1","device":"gpu-0"},
                                {"request":"more","driver":"gpu.nvidia.com","pool":"n1","device":"gpu-1"}]}},"reservedFor":[)",
                                   users, "]}}"),
                            "status"));
  }
  static std::string Uses(const std::string& claims) {
    std::string entries;
    for (const std::string_view claim : Split(claims, ',')) {
      entries += StrCat(entries.empty() ? "" : ",", R"({"name":")", claim, R"(","resourceClaimName":")", claim, R"("})");
    }
    return StrCat(R"("resourceClaims":[)", entries, "]");
  }
};

TEST_F(PodsClaimsTest, AContainerGetsTheDevicesOfItsOwnClaimsOnly) {
  StartPods();
  CreateClaim("one");
  CreateClaim("two");
  const std::string show = "echo ${PATH%%:*} $CUDA_VISIBLE_DEVICES one=${REQUESTS_one-none} two=${REQUESTS_two-none}";
  Create(StrCat(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default"},"spec":{"nodeName":"n1","restartPolicy":"Never",)",
      Uses("one,two"), R"(,"containers":[)",
      ContainerJson("both", show, R"("resources":{"claims":[{"name":"one"},{"name":"two","request":"gpu"}]})"), ",",
      ContainerJson("some", show, R"("resources":{"claims":[{"name":"one","request":"more"}]})"), ",", ContainerJson("none", show), "]}}"));
  ASSERT_TRUE(Eventually([&] { return ContainerText("a", "both") == "waiting ContainerCreating restarts 0"; }));
  EXPECT_EQ(devices.prepared(), 0U);
  Allocate("one", {"a"});
  Allocate("two", {"a"});
  ASSERT_TRUE(AwaitPhase("a", "Succeeded")) << ContainerText("a", "both") << lines;
  EXPECT_EQ(Logs("a", "container=both"), "/opt/gpu/bin one,two one= two=gpu\n");
  EXPECT_EQ(Logs("a", "container=some"), "/opt/gpu/bin one one=more two=none\n");
  EXPECT_EQ(Logs("a", "container=none"), "/usr/local/sbin -1 one=none two=none\n");
  EXPECT_TRUE(Eventually([&] { return devices.prepared() == 0; }));
}

TEST_F(PodsClaimsTest, NoContainerStartsWhileAClaimCannotBePreparedAndTheStatusSaysWhy) {
  devices.Fail(Unavailable("gpu-0 is held by claim lab/other"));
  StartPods();
  CreateClaim("one");
  Create(PodJson("a", "true", Uses("one"), R"("resources":{"claims":[{"name":"one"}]})"));
  Allocate("one", {"a"});
  ASSERT_TRUE(Eventually([&] { return devices.Count("prepare one") > 2; }));
  const auto message = [&] {
    const auto pod = Get("a");
    const auto statuses = json::ItemsOf(pod->json()["status"]["containerStatuses"]);
    return statuses.empty() ? std::string() : std::string(json::TextOf(statuses[0]["state"]["waiting"]["message"]));
  };
  EXPECT_TRUE(Eventually([&] { return message() == "gpu-0 is held by claim lab/other"; })) << message();
  EXPECT_EQ(Phase("a"), "Pending");
  EXPECT_EQ(Condition("a", "PodReadyToStartContainers"), "False ");
  devices.Fail(Status());
  EXPECT_TRUE(AwaitPhase("a", "Succeeded"));
}

TEST_F(PodsClaimsTest, AClaimIsGivenBackWhenTheLastPodThatUsesItHasEnded) {
  StartPods();
  CreateClaim("one");
  const std::string go = folder / "go";
  Create(PodJson("a", "echo a", Uses("one"), R"("resources":{"claims":[{"name":"one"}]})"));
  Create(PodJson("b", StrCat("while [ ! -e ", go, " ]; do sleep 0.01; done"), Uses("one"), R"("resources":{"claims":[{"name":"one"}]})"));
  Allocate("one", {"a", "b"});
  ASSERT_TRUE(AwaitPhase("b", "Running"));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  // Deleting the Pod does not unprepare the claim that the other Pod uses.
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "a"));
  ASSERT_TRUE(AwaitPhase("a", "gone"));
  EXPECT_EQ(devices.Count("unprepare one"), 0U);
  std::ofstream(go).flush();
  ASSERT_TRUE(AwaitPhase("b", "Succeeded"));
  EXPECT_TRUE(Eventually([&] { return devices.prepared() == 0; }));
  EXPECT_EQ(devices.Count("unprepare one"), 1U);
}

TEST_F(PodsClaimsTest, ADeletedPodGivesItsClaimsBackBeforeItGoes) {
  StartPods();
  CreateClaim("one");
  Create(PodJson("a", "sleep 1000", Uses("one")));
  Allocate("one", {"a"});
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  EXPECT_EQ(devices.prepared(), 1U);
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "a"));
  ASSERT_TRUE(AwaitPhase("a", "gone"));
  EXPECT_EQ(devices.prepared(), 0U);
}

TEST_F(PodsClaimsTest, APodRunsAsItsUserWithTheirGroups) {
  ALLOT_NEEDS(kRoot);
  StartPods();
  const std::string pod = PodJson("a", "id -un; id -G; echo $USER $HOME", "", R"("securityContext":{"allowPrivilegeEscalation":false})");
  Create(std::string(pod).replace(pod.find(R"("namespace")"), 0, R"("annotations":{"allot.dev/user":"daemon"},)"));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded")) << ContainerText("a");
  EXPECT_EQ(Logs("a"), "daemon\n1\ndaemon /usr/sbin\n");
  const std::string nobody = PodJson("b", "true");
  Create(std::string(nobody).replace(nobody.find(R"("namespace")"), 0, R"("annotations":{"allot.dev/user":"no-such-user"},)"));
  ASSERT_TRUE(Eventually([&] { return ContainerText("b") == "waiting CreateContainerConfigError restarts 0"; }));
  Create(PodJson("c", "id -u; id -g; id -G", R"("securityContext":{"runAsUser":12345,"runAsGroup":23456,"supplementalGroups":[34567]})"));
  ASSERT_TRUE(AwaitPhase("c", "Succeeded"));
  EXPECT_EQ(Logs("c"), "12345\n23456\n23456 34567\n");
}

TEST_F(PodsClaimsTest, AnEndedPodIsReportedEvenIfItsDevicesAreGone) {
  StartPods();
  CreateClaim("one");
  Create(PodJson("a", StrCat("while [ ! -e ", folder / "go", " ]; do sleep 0.01; done; exit 4"), Uses("one")));
  Allocate("one", {"a"});
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  const std::string run = RunFolder("a");
  pods.reset();
  ASSERT_OK(files.ReplaceFile(folder / "go", ""));
  ASSERT_TRUE(Eventually([&] { return ReadExit(files, run).ok(); }));
  devices.Fail(Invalid("gpu-0 is not in this machine now"));
  StartPods();
  EXPECT_TRUE(AwaitPhase("a", "Failed"));
  EXPECT_EQ(ContainerText("a"), "terminated 4 Error restarts 0");
  EXPECT_TRUE(Eventually([&] { return devices.prepared() == 0; }));
}

// Another GPU may have the device's name by now.
TEST_F(PodsClaimsTest, ClaimsOfRunningPodsAreNotPreparedAgain) {
  StartPods();
  CreateClaim("one");
  Create(PodJson("a", StrCat("while [ ! -e ", folder / "go", " ]; do sleep 0.01; done"), Uses("one")));
  Allocate("one", {"a"});
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  const size_t before = devices.Count("prepare one");
  pods.reset();
  StartPods();
  ASSERT_OK(files.ReplaceFile(folder / "go", ""));
  ASSERT_TRUE(AwaitPhase("a", "Succeeded"));
  EXPECT_EQ(devices.Count("prepare one"), before);
  EXPECT_TRUE(Eventually([&] { return devices.prepared() == 0; }));
}

}  // namespace
}  // namespace allot::local
