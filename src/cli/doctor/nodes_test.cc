#include "base/test_util.h"
#include "cli/fake_cluster.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

TEST(Doctor, ItIsSaidHowManyGpusAreShared) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims = "";
  cluster.slices = StrCat(FakeSlice("n1", StrCat(FakeGpu("gpu-0"), ",", FakeGpu("gpu-1"))), ",",
                          FakeSlice("n2", StrCat(FakeGpu("gpu-0"), ",", FakeGpu("gpu-1", ""))));
  EXPECT_THAT(Diagnosis(cluster, 0),
              AllOf(HasSubstr("ok n1: 2 GPUs are offered, 2 of them shared"), HasSubstr("ok n2: 2 GPUs are offered, 1 of them shared")));
  cluster.slices = StrCat(FakeSlice("n1", FakeGpu("gpu-0", "")), ",", FakeSlice("n2", StrCat(FakeGpu("a", ""), ",", FakeGpu("b", ""))));
  EXPECT_THAT(Diagnosis(cluster, 0), AllOf(HasSubstr("warning n1: 1 GPU is offered, not shared"), HasSubstr("mode: exclusive"),
                                           HasSubstr("warning n2: 2 GPUs are offered, none of them shared")));
}

TEST(Doctor, AClusterWithoutAnyGpuIsNotReady) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims = cluster.slices = "";
  EXPECT_THAT(Diagnosis(cluster, 1),
              AllOf(HasSubstr("warning n1, n2: no GPUs are offered"), HasSubstr("FAILED no GPU is offered in the whole cluster"),
                    HasSubstr("kubectl logs -n gpus -l app.kubernetes.io/part-of=allot"), HasSubstr("Not ready: 1 failed")));
}

TEST(Doctor, AGpuThatDoesNotTellItsMemoryIsOffered) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims = "";
  cluster.slices = FakeSlice("n1", R"({"name":"gpu-0"})");
  EXPECT_THAT(Diagnosis(cluster, 0), HasSubstr("n1: 1 GPU is offered, not shared"));
}

TEST(Doctor, NodesThatAreNotReadyFailAndCordonedOnesAreWarnings) {
  FakeCluster cluster = HealthyCluster();
  cluster.nodes = StrCat(FakeNode("n1", "containerd://2.0.0", "{}", "Unknown"), ",", FakeNode("n2"));
  EXPECT_THAT(Diagnosis(cluster, 1), AllOf(HasSubstr("FAILED n1: node is not ready: kubelet says so"), HasSubstr("kubectl get nodes")));
  cluster.nodes = StrCat(FakeNode("n1"), ",", FakeNode("n2", "containerd://2.0.0", "{}", "True", true));
  EXPECT_THAT(Diagnosis(cluster, 0), AllOf(HasSubstr("warning n2: node is cordoned"), HasSubstr("kubectl uncordon")));
}

TEST(Doctor, AUuidThatIsNoneIsNotPutIntoACommand) {
  FakeCluster cluster = HealthyCluster();
  cluster.slices = FakeSlice("n1", R"({"name":"gpu-0","allowMultipleAllocations":true,"capacity":{"memory":{"value":"24Gi"}},
    "attributes":{"uuid":{"string":"x; reboot"}},"taints":[{"key":"gpu.nvidia.com/xid","value":"48","effect":"NoSchedule"}]})");
  EXPECT_THAT(Diagnosis(cluster, 0), AllOf(HasSubstr("nvidia-smi --gpu-reset -i UUID"), Not(HasSubstr("reboot"))));
}

}  // namespace
}  // namespace allot::cli
