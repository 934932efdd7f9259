#include "local/simulated.h"

#include <sys/stat.h>

#include <fstream>

#include "base/test_util.h"
#include "device/nvidia/discovery.h"
#include "device/nvidia/fake_driver.h"
#include "local/test_folder.h"

namespace allot::local {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SimulatedTest : public ::testing::Test {
 protected:
  Status Make(const std::string& node, const std::vector<std::string>& models) {
    return MakeSimulatedDriver(files_, {device::nvidia::FakeNvmlLibrary(), device::nvidia::FakeSmi()}, Root(node), node, models);
  }
  std::string Root(const std::string& node) const { return StrCat(folder_.path(), "/", node); }
  // The agent finds them in this way.
  std::vector<device::nvidia::Gpu> Gpus(const std::string& node) {
    Result<std::unique_ptr<device::nvidia::Nvml>> nvml = device::nvidia::Nvml::Open(device::nvidia::DriverRoot(Root(node)));
    EXPECT_OK(nvml);
    if (!nvml.ok()) return {};
    Result<device::nvidia::Discovery> found = device::nvidia::Discover(**nvml, files_, Root(node) + "/sys");
    EXPECT_OK(found);
    return found.ok() ? found->gpus : std::vector<device::nvidia::Gpu>();
  }

  TestFolder folder_;
  PosixFileSystem files_;
};

TEST_F(SimulatedTest, NodesHaveDifferentGpusThatStayTheSame) {
  ASSERT_OK(Make("a", {"rtx3090", "rtx3090", "rtx3060"}));
  ASSERT_OK(Make("b", {"rtx3090"}));
  const std::vector<device::nvidia::Gpu> a = Gpus("a"), b = Gpus("b");
  ASSERT_THAT(a, SizeIs(3));
  ASSERT_THAT(b, SizeIs(1));
  EXPECT_EQ(a[2].product_name, "NVIDIA GeForce RTX 3060");
  EXPECT_EQ(a[2].memory_mib, 12288);
  EXPECT_NE(a[0].uuid, a[1].uuid);
  EXPECT_NE(a[0].uuid, b[0].uuid);
  ASSERT_OK(Make("a", {"rtx3090"}));  // the next start, with fewer
  const std::vector<device::nvidia::Gpu> later = Gpus("a");
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_EQ(later[0].uuid, a[0].uuid);
  EXPECT_FALSE(fs::exists(Root("a") + "/dev/nvidia1"));
}

TEST_F(SimulatedTest, ANodeWithoutGpusHasADriver) {
  ASSERT_OK(Make("a", {}));
  EXPECT_THAT(Gpus("a"), SizeIs(0));
}

TEST_F(SimulatedTest, EverybodyMayUseItWhateverTheUmask) {
  const mode_t before = ::umask(0077);
  const Status made = Make("a", {"l4"});
  ::umask(before);
  ASSERT_OK(made);
  for (const auto& entry : fs::recursive_directory_iterator(Root("a"))) {
    EXPECT_NE(entry.status().permissions() & fs::perms::others_read, fs::perms::none) << entry.path();
  }
}

TEST_F(SimulatedTest, NvidiaSmiOfTheEnvironmentShowsTheProcessItsGpus) {
  ASSERT_OK(Make("a", {"l4", "rtx3060"}));
  Environment environment = SimulatedEnvironment(Root("a"));
  EXPECT_EQ(environment["PATH"], Root("a") + "/usr/bin");
  const std::string uuid = Gpus("a")[1].uuid;
  environment["CUDA_VISIBLE_DEVICES"] = uuid;
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess({.argv = {"nvidia-smi", "-L"}, .environment = environment}));
  EXPECT_EQ(output.stdout_text, StrCat("GPU 0: NVIDIA GeForce RTX 3060 (UUID: ", uuid, ")\n"));
}

TEST_F(SimulatedTest, TheFakeDriverIsBesideTheProgramOrInstalled) {
  const std::string bin = folder_.path() + "/prefix/bin", lib = folder_.path() + "/prefix/lib/allot";
  EXPECT_THAT(Simulator::Find(bin + "/allot").status(),
              IsStatus(Code::kNotFound, AllOf(HasSubstr(bin + "/fake_nvml/libnvidia-ml.so.1"), HasSubstr(lib), HasSubstr("make install"))));
  fs::create_directories(lib);
  std::ofstream(lib + "/libnvidia-ml.so.1") << "";
  std::ofstream(lib + "/nvidia-smi") << "";
  ASSERT_OK_AND_ASSIGN(const Simulator installed, Simulator::Find(bin + "/allot"));
  EXPECT_EQ(installed.library, lib + "/libnvidia-ml.so.1");
  for (const char* folder : {"/fake_nvml", "/fake_smi"}) fs::create_directories(bin + folder);
  std::ofstream(bin + "/fake_nvml/libnvidia-ml.so.1") << "";
  std::ofstream(bin + "/fake_smi/nvidia-smi") << "";
  ASSERT_OK_AND_ASSIGN(const Simulator built, Simulator::Find(bin + "/allot"));
  EXPECT_EQ(built.smi, bin + "/fake_smi/nvidia-smi");
}

}  // namespace
}  // namespace allot::local
