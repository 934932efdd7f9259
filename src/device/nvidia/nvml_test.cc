#include "device/nvidia/nvml.h"

#include "base/test_util.h"
#include "device/nvidia/fake_machine.h"

namespace allot::device::nvidia {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Nvml, SaysWhichDriverRootHasNoLibrary) {
  const FakeMachine machine("");
  machine.RemoveLibrary();
  EXPECT_THAT(Nvml::Open(machine.driver_root()),
              IsStatus(Code::kNotFound, AllOf(HasSubstr("libnvidia-ml.so.1"), HasSubstr(machine.driver_root().path()))));
}

TEST(Nvml, PassesOverAFolderNamedLikeTheLibrary) {
  const FakeMachine machine("gpus: [{model: l4}]");
  std::filesystem::create_directories(machine.driver_root().path() + "/usr/lib/libnvidia-ml.so.1");
  EXPECT_OK(Nvml::Open(machine.driver_root()));
  machine.RemoveLibrary();
  EXPECT_THAT(Nvml::Open(machine.driver_root()), IsStatus(Code::kNotFound));
}

TEST(Nvml, SaysThatAFileIsNoLibrary) {
  const FakeMachine machine("");
  machine.RemoveLibrary();
  std::ofstream(machine.library()) << "version https://git-lfs.github.com/spec/v1\n";
  EXPECT_THAT(Nvml::Open(machine.driver_root()),
              IsStatus(Code::kUnavailable, AllOf(HasSubstr(machine.library()), HasSubstr("install the driver again"))));
}

TEST(Nvml, NamesTheFunctionsThatALibraryLacks) {
  const FakeMachine machine("");
  machine.RemoveLibrary();
  // Any other shared library.
  for (const std::string& folder : DriverRoot::LibraryFolders()) {
    if (std::filesystem::exists(folder + "/libm.so.6")) {
      std::filesystem::copy_file(folder + "/libm.so.6", machine.library());
      break;
    }
  }
  EXPECT_THAT(Nvml::Open(machine.driver_root()),
              IsStatus(Code::kUnsupported, AllOf(HasSubstr(machine.library()), HasSubstr("nvmlInit_v2, nvmlShutdown"))));
}

TEST(Nvml, SaysWhatToDoWhereTheDriverDoesNotAnswer) {
  FakeMachine machine("fail: {nvmlInit_v2: DRIVER_NOT_LOADED}");
  EXPECT_THAT(Nvml::Open(machine.driver_root()),
              IsStatus(Code::kUnavailable, AllOf(HasSubstr(machine.library()), HasSubstr("Driver Not Loaded"), HasSubstr("modprobe"))));
  machine.Write("fail: {nvmlInit_v2: LIB_RM_VERSION_MISMATCH}");
  EXPECT_THAT(Nvml::Open(machine.driver_root()),
              IsStatus(Code::kUnavailable, AllOf(HasSubstr("version mismatch"), HasSubstr("restart the machine"))));
  machine.Write("");
  EXPECT_OK(Nvml::Open(machine.driver_root()));
}

TEST(Nvml, KeepsTheNumberOfAnError) {
  const FakeMachine machine("gpus: [{model: l4, fail: {nvmlDeviceGetName: 42}}]");
  ASSERT_OK_AND_ASSIGN(const auto nvml, Nvml::Open(machine.driver_root()));
  ASSERT_OK_AND_ASSIGN(const nvml::Device gpu, nvml->DeviceByIndex(0));
  const Result<std::string> name = nvml->Name(gpu);
  EXPECT_THAT(name, IsStatus(Code::kUnavailable, HasSubstr("nvmlDeviceGetName")));
  EXPECT_EQ(static_cast<int>(NvmlErrorOf(name.status())), 42);
  EXPECT_EQ(NvmlErrorOf(Invalid("something else")), nvml::Return::kSuccess);
}

TEST(Nvml, FindsDevicesByUuid) {
  const FakeMachine machine("gpus: [{model: a100, uuid: GPU-1, mig: [{uuid: MIG-1}]}]");
  ASSERT_OK_AND_ASSIGN(const auto nvml, Nvml::Open(machine.driver_root()));
  for (const char* uuid : {"GPU-1", "MIG-1"}) {
    ASSERT_OK_AND_ASSIGN(const nvml::Device device, nvml->DeviceByUuid(uuid));
    EXPECT_THAT(nvml->Uuid(device), IsOkAndHolds(std::string(uuid)));
  }
  EXPECT_THAT(nvml->DeviceByUuid("GPU-2"), IsStatus(Code::kNotFound, HasSubstr("GPU-2")));
}

TEST(Nvml, CountsTheDriversOwnMemoryAsUsedOnlyWhereItMust) {
  FakeMachine machine("gpus: [{model: l4, used: 1000}]");
  ASSERT_OK_AND_ASSIGN(const auto nvml, Nvml::Open(machine.driver_root()));
  ASSERT_OK_AND_ASSIGN(const nvml::Device gpu, nvml->DeviceByIndex(0));
  EXPECT_EQ(nvml->Memory(gpu)->used, 1000U << 20);
  machine.Write("{gpus: [{model: l4, used: 1000}], fail: {nvmlDeviceGetMemoryInfo_v2: FUNCTION_NOT_FOUND}}");
  EXPECT_EQ(nvml->Memory(gpu)->used, 1256U << 20);
}

TEST(Nvml, ListsMoreProcessesThanItHadRoomFor) {
  std::string inventory = "gpus:\n- model: l4\n  processes:\n";
  for (int pid = 1; pid <= 100; ++pid) inventory += StrCat("  - {pid: ", pid, "}\n");
  const FakeMachine machine(inventory);
  ASSERT_OK_AND_ASSIGN(const auto nvml, Nvml::Open(machine.driver_root()));
  ASSERT_OK_AND_ASSIGN(const nvml::Device gpu, nvml->DeviceByIndex(0));
  ASSERT_OK_AND_ASSIGN(const auto processes, nvml->ComputeProcesses(gpu));
  EXPECT_EQ(processes.size(), 100U);
  EXPECT_EQ(processes[99].pid, 100U);
}

TEST(Nvml, IsUnloadedWithItsObject) {
  const FakeMachine machine("gpus: [{model: l4}]");
  {
    ASSERT_OK(Nvml::Open(machine.driver_root()));
  }
  std::ifstream maps("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(maps)), std::istreambuf_iterator<char>());
  EXPECT_THAT(text, ::testing::Not(HasSubstr(machine.library())));
}

// The fake library has every function of the table.
TEST(FakeNvml, HasEveryFunction) {
  const FakeMachine machine("gpus: [{model: a100, addressingMode: 2, mig: [{}]}]");
  ASSERT_OK_AND_ASSIGN(const auto nvml, Nvml::Open(machine.driver_root()));
  ASSERT_OK_AND_ASSIGN(const nvml::Device gpu, nvml->DeviceByIndex(0));
  ASSERT_OK_AND_ASSIGN(const auto migs, nvml->MigDevices(gpu));
  ASSERT_EQ(migs.size(), 1U);
  ASSERT_OK_AND_ASSIGN(const nvml::EventSet set, nvml->CreateEventSet());
  EXPECT_OK(nvml->RegisterEvents(gpu, nvml::kEventXidCritical, set));
  ASSERT_OK_AND_ASSIGN(const auto event, nvml->WaitEvent(set, 0));
  EXPECT_FALSE(event.has_value());
  nvml->FreeEventSet(set);
  EXPECT_THAT((std::vector<Status>{nvml->DriverVersion().status(), nvml->CudaDriverVersion().status(), nvml->Name(gpu).status(),
                                   nvml->Brand(gpu).status(), nvml->Architecture(gpu).status(), nvml->CudaComputeCapability(gpu).status(),
                                   nvml->PciInfo(gpu).status(), nvml->Memory(gpu).status(), nvml->AddressingMode(gpu).status(),
                                   nvml->MigMode(gpu).status(), nvml->Attributes(migs[0]).status(), nvml->GpuInstanceId(migs[0]).status(),
                                   nvml->ComputeInstanceId(migs[0]).status(), nvml->GpuInstance(gpu, 1).status(),
                                   nvml->ComputeProcesses(gpu).status(), nvml->SupportedEvents(gpu).status()}),
              ::testing::Each(IsOk()));
}

TEST(FakeNvml, ReadsTheInventoryThatTheEnvironmentNames) {
  const FakeMachine machine("gpus: [{model: l4}]");
  const FakeMachine other("gpus: [{model: l4}, {model: l4}]");
  setenv("ALLOT_FAKE_NVML", (other.library().parent_path() / "fake_nvml.yaml").c_str(), 1);
  const Result<std::unique_ptr<Nvml>> nvml = Nvml::Open(machine.driver_root());
  unsetenv("ALLOT_FAKE_NVML");
  ASSERT_OK(nvml);
  EXPECT_THAT((*nvml)->DeviceCount(), IsOkAndHolds(2U));
}

TEST(FakeNvml, KeepsTheLastInventoryThatItCouldRead) {
  FakeMachine machine("gpus: [{model: l4}]");
  ASSERT_OK_AND_ASSIGN(const auto nvml, Nvml::Open(machine.driver_root()));
  machine.Write("gpus: [{model: voodoo2}]");
  EXPECT_THAT(nvml->DeviceCount(), IsOkAndHolds(1U));
  machine.Write("gpus: [");
  EXPECT_THAT(nvml->DeviceCount(), IsOkAndHolds(1U));
  machine.Write("gpus: [{model: l4}, {model: l4}]");
  EXPECT_THAT(nvml->DeviceCount(), IsOkAndHolds(2U));
}

}  // namespace
}  // namespace allot::device::nvidia
