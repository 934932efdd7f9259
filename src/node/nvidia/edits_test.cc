#include "node/nvidia/edits.h"

#include "base/fake_file_system.h"
#include "base/test_util.h"
#include "json/json.h"
#include "node/prepare/cdi.h"

namespace allot::node::nvidia {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Share Gpu(int minor, int64_t mib, std::string share_id = "s-1") {
  Share share;
  share.request = "gpu";
  share.device = StrCat("gpu-", minor);
  share.share_id = std::move(share_id);
  share.uuid = share.parent = StrCat("GPU-", minor);
  share.memory_mib = mib;
  share.whole_mib = 24576;
  return share;
}

// GPU-0 and GPU-3, each with its minor number.
std::vector<device::nvidia::Gpu> Gpus() {
  std::vector<device::nvidia::Gpu> gpus(2);
  for (const int i : {0, 1}) {
    gpus[i].minor = 3 * i;
    gpus[i].uuid = StrCat("GPU-", 3 * i);
    gpus[i].raw_driver_version = "580.105.08";
  }
  return gpus;
}

class EditsTest : public testing::Test {
 protected:
  EditsTest() {
    for (const std::string path :
         {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/usr/lib64/libcuda.so.580.105.08", "/usr/lib64/libcuda.so.570.1",
          "/usr/bin/nvidia-smi", "/lib/firmware/nvidia/580.105.08/gsp_ga10x.bin", "/run/nvidia-persistenced/socket"}) {
      Touch(path);
    }
  }
  void Touch(const std::string& path, std::string_view content = "") {
    EXPECT_OK(files_.MakeDirs(path.substr(0, path.find_last_of('/'))));
    EXPECT_OK(files_.WriteFileAtomic(path, content));
  }
  Status Write(const Holding& holding) {
    ASSIGN_OR_RETURN(const ClaimEdits edits, EditsOf(holding, {files_, root_, proc_, mps_pipes_, hook_, gpus_}));
    return cdi_.Write(holding, edits);
  }
  std::string Spec(const std::vector<Share>& shares) {
    EXPECT_OK(Write({"u", "lab", "c", shares}));
    return *files_.ReadFile("/cdi/k8s.gpu.nvidia.com-claim_u.yaml", 1 << 20);
  }

  std::vector<device::nvidia::Gpu> gpus_ = Gpus();
  FakeFileSystem files_;
  const DriverRoot root_;
  const std::string proc_ = "/proc", mps_pipes_ = "/tmp/nvidia-mps", hook_ = "/state/allot-cdi-hook";
  Cdi cdi_{files_, "/cdi", "gpu.nvidia.com"};
};

TEST_F(EditsTest, WaitsForADriverThatIsNotAllThere) {
  const Holding holding{"u", "lab", "c", {Gpu(0, 6144)}};
  ASSERT_OK(files_.Remove("/dev/nvidia-uvm"));
  EXPECT_THAT(Write(holding), IsStatus(Code::kUnavailable, AllOf(HasSubstr("/dev/nvidia-uvm"), HasSubstr("nvidia-modprobe"))));
  Touch("/dev/nvidia-uvm");
  ASSERT_OK(files_.Remove("/usr/lib64/libcuda.so.580.105.08"));
  EXPECT_THAT(Write(holding), IsStatus(Code::kUnavailable, HasSubstr("libraries")));
  EXPECT_FALSE(cdi_.Has("u"));
}

TEST_F(EditsTest, SpecHasTheDriverOfThisVersionOnly) {
  const std::string spec = Spec({Gpu(0, 6144)});
  EXPECT_THAT(spec, AllOf(HasSubstr("libcuda.so.580.105.08"), Not(HasSubstr("libcuda.so.570.1")), HasSubstr("/usr/bin/nvidia-smi"),
                          HasSubstr("gsp_ga10x.bin"), HasSubstr("/run/nvidia-persistenced/socket"), HasSubstr("--folder=/usr/lib64"),
                          HasSubstr("/dev/nvidiactl"), HasSubstr("ALLOT_GPU_MEMORY_GPU_0__s_1=6144")));
  ASSERT_OK_AND_ASSIGN(const json::Document parsed, json::Parse(spec));
  EXPECT_EQ(parsed.root()["kind"].AsString(), "k8s.gpu.nvidia.com/claim");
  EXPECT_EQ(parsed.root()["devices"].Items()[0]["name"].AsString(), "u-gpu-0");
}

TEST_F(EditsTest, NothingIsWrittenWhereTheFileIsRight) {
  Spec({Gpu(0, 6144)});
  const int before = files_.changes();
  Spec({Gpu(0, 6144)});
  EXPECT_EQ(files_.changes(), before);
}

TEST_F(EditsTest, MissingDeviceNodeIsWaitedFor) {
  EXPECT_THAT(Write({"u", "lab", "c", {Gpu(3, 1)}}), IsStatus(Code::kUnavailable, HasSubstr("/dev/nvidia3 of gpu-3 is missing")));
}

// Bug: after a reboot the GPU had another minor number, and the claim got another GPU.
TEST_F(EditsTest, GpuIsFoundByItsUuidWhateverItsNumberIsNow) {
  Touch("/dev/nvidia1");
  gpus_[0].minor = 1;
  EXPECT_THAT(Spec({Gpu(0, 1)}), AllOf(HasSubstr("/dev/nvidia1"), Not(HasSubstr("/dev/nvidia0"))));
  gpus_.clear();
  EXPECT_THAT(Write({"u", "lab", "c", {Gpu(0, 1)}}), IsStatus(Code::kUnavailable, HasSubstr("GPU-0, which the claim holds as gpu-0")));
}

TEST_F(EditsTest, MigDeviceHasItsCapabilities) {
  Touch("/proc/driver/nvidia/capabilities/gpu0/mig/gi7/access", "DeviceFileMinor: 66\nDeviceFileMode: 292\n");
  Touch("/proc/driver/nvidia/capabilities/gpu0/mig/gi7/ci0/access", "DeviceFileMinor: 67\n");
  Touch("/dev/nvidia-caps/nvidia-cap66");
  Touch("/dev/nvidia-caps/nvidia-cap67");
  gpus_[0].mig_enabled = true;
  device::nvidia::MigDevice& part = gpus_[0].mig.emplace_back();
  part.uuid = "MIG-1";
  part.gpu_instance = 7;
  Share mig = Gpu(0, 9728);
  mig.uuid = "MIG-1";
  EXPECT_THAT(Spec({mig}),
              AllOf(HasSubstr("/dev/nvidia-caps/nvidia-cap66"), HasSubstr("/dev/nvidia-caps/nvidia-cap67"), HasSubstr("/dev/nvidia0")));
}

TEST_F(EditsTest, AdminAccessHasNoLimit) {
  Share admin = Gpu(0, 24576);
  admin.admin = true;
  EXPECT_THAT(Spec({admin}), Not(HasSubstr("ALLOT_GPU_MEMORY")));
}

TEST_F(EditsTest, OnlyFilesOfOursAreListed) {
  Spec({Gpu(0, 1)});
  Touch("/cdi/nvidia.yaml");
  Touch("/cdi/k8s.gpu.nvidia.com-claim_u.yaml.tmp.1.2");
  EXPECT_THAT(cdi_.Uids(), IsOkAndHolds(ElementsAre("u")));
  EXPECT_TRUE(cdi_.Has("u"));
  ASSERT_OK(cdi_.Remove("u"));
  EXPECT_FALSE(cdi_.Has("u"));
}

}  // namespace
}  // namespace allot::node::nvidia
