#include "local/cdi_devices.h"

#include "node/prepare/prepare_fixture.h"

namespace allot::local {
namespace {

using node::Allocated;
using node::ResultJson;
using node::Rtx3090;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class CdiDevicesTest : public node::PrepareFixture {
 protected:
  CdiDevicesTest() { world_.gpus = {Rtx3090(0), Rtx3090(1)}; }

  node::ClaimRef Claim(std::string_view results) {
    world_.Put("lab", "c1", "u1", Allocated(results));
    return {"lab", "c1", "u1"};
  }
  Result<Environment> Prepare(const node::ClaimRef& claim, const std::vector<std::string>& requests = {}) {
    ASSIGN_OR_RETURN(const DeviceAccess access, devices_.Prepare(claim, requests, Long()));
    return access.environment;
  }

  Agent agent_{*this, files_};
  CdiDevices devices_{agent_.preparer, {{"PATH", "/sim/bin"}}};
};

TEST_F(CdiDevicesTest, AProcessGetsTheLimitAndSeesItsGpuAlone) {
  const std::string uuid = Rtx3090(1).uuid;
  EXPECT_THAT(
      Prepare(Claim(ResultJson("gpu", "gpu-1", "6Gi", "s1"))),
      IsOkAndHolds(UnorderedElementsAre(Pair("PATH", "/sim/bin"), Pair("CUDA_VISIBLE_DEVICES", uuid), Pair("NVIDIA_VISIBLE_DEVICES", uuid),
                                        Pair("ALLOT_GPU_MEMORY_GPU_00000001_aaaa_bbbb_cccc_dddddddddddd__s1", "6144"))));
}

TEST_F(CdiDevicesTest, AContainerGetsTheSpecsEditsOfItsOwnRequests) {
  const node::ClaimRef claim = Claim(ResultJson("big", "gpu-1", "12Gi", "s1") + "," + ResultJson("small", "gpu-0", "1Gi", "s2"));
  ASSERT_OK_AND_ASSIGN(const DeviceAccess access, devices_.Prepare(claim, std::vector<std::string>{"small"}, Long()));
  const ContainerEdits& edits = access.edits;
  EXPECT_THAT(edits.environment, UnorderedElementsAre(Pair("NVIDIA_VISIBLE_DEVICES", "void"),
                                                      Pair("ALLOT_GPU_MEMORY_GPU_00000000_aaaa_bbbb_cccc_dddddddddddd__s2", "1024")));
  EXPECT_THAT(edits.device_nodes, Contains(ContainerEdits::File{"/drv/dev/nvidia0", "/dev/nvidia0", "rw"}));
  EXPECT_THAT(edits.device_nodes, Contains(ContainerEdits::File{"/drv/dev/nvidiactl", "/dev/nvidiactl", "rw"}));
  EXPECT_THAT(edits.device_nodes, Not(Contains(Field(&ContainerEdits::File::container, "/dev/nvidia1"))));
  EXPECT_THAT(edits.mounts, Each(Field(&ContainerEdits::File::options, HasSubstr("nosuid"))));
  EXPECT_THAT(edits.hooks, ElementsAre(Contains("update-ldcache")));
}

TEST_F(CdiDevicesTest, OnlyTheRequestsThatTheContainerNames) {
  const node::ClaimRef claim = Claim(ResultJson("big", "gpu-1", "12Gi", "s1") + "," + ResultJson("small", "gpu-0", "1Gi", "s2"));
  ASSERT_OK_AND_ASSIGN(Environment all, Prepare(claim));
  EXPECT_EQ(all["CUDA_VISIBLE_DEVICES"], StrCat(Rtx3090(1).uuid, ",", Rtx3090(0).uuid));  // as allocated
  ASSERT_OK_AND_ASSIGN(Environment small, Prepare(claim, {"small"}));
  EXPECT_EQ(small["CUDA_VISIBLE_DEVICES"], Rtx3090(0).uuid);
  EXPECT_FALSE(small.contains("ALLOT_GPU_MEMORY_GPU_00000001_aaaa_bbbb_cccc_dddddddddddd__s1"));
  EXPECT_THAT(Prepare(claim, {"small", "none"}), IsStatus(Code::kNotFound, HasSubstr("claim lab/c1: no device for request \"none\"")));
}

TEST_F(CdiDevicesTest, AClaimIsInUseFromItsPreparationUntilItIsGivenBack) {
  const node::ClaimRef claim = Claim(ResultJson("gpu", "gpu-1", "6Gi", "s1"));
  EXPECT_FALSE(devices_.IsInUse("u1"));
  ASSERT_OK(Prepare(claim));
  EXPECT_TRUE(devices_.IsInUse("u1"));
  ASSERT_OK(devices_.Unprepare(claim, Long()));
  EXPECT_FALSE(devices_.IsInUse("u1"));
  devices_.Keep("u1");
  EXPECT_TRUE(devices_.IsInUse("u1"));
}

TEST_F(CdiDevicesTest, TwoSharesOfOneGpuNameItOnce) {
  ASSERT_OK_AND_ASSIGN(Environment environment,
                       Prepare(Claim(ResultJson("a", "gpu-0", "1Gi", "s1") + "," + ResultJson("b", "gpu-0", "2Gi", "s2"))));
  EXPECT_EQ(environment["NVIDIA_VISIBLE_DEVICES"], Rtx3090(0).uuid);
  EXPECT_EQ(environment["ALLOT_GPU_MEMORY_GPU_00000000_aaaa_bbbb_cccc_dddddddddddd__s2"], "2048");
}

TEST_F(CdiDevicesTest, AProcessWithoutAClaimFindsNoGpu) {
  EXPECT_THAT(devices_.NoDevices(), UnorderedElementsAre(Pair("CUDA_VISIBLE_DEVICES", "-1"), Pair("NVIDIA_VISIBLE_DEVICES", "void")));
}

TEST_F(CdiDevicesTest, UnprepareRemovesTheSpecAndIsIdempotent) {
  const node::ClaimRef claim = Claim(ResultJson("gpu", "gpu-1", "6Gi", "s1"));
  ASSERT_OK(Prepare(claim));
  EXPECT_OK(devices_.Unprepare(claim, Long()));
  EXPECT_FALSE(files_.Exists(CdiPath("u1")));
  EXPECT_OK(devices_.Unprepare(claim, Long()));
}

}  // namespace
}  // namespace allot::local
