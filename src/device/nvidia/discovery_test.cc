#include "device/nvidia/discovery.h"

#include "base/test_util.h"
#include "device/nvidia/fake_machine.h"

namespace allot::device::nvidia {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Discovery Found(const FakeMachine& machine) {
  const PosixFileSystem files;
  Result<std::unique_ptr<Nvml>> nvml = Nvml::Open(machine.driver_root());
  EXPECT_OK(nvml);
  if (!nvml.ok()) return {};
  Result<Discovery> found = Discover(**nvml, files, machine.sysfs());
  EXPECT_OK(found);
  return found.ok() ? *std::move(found) : Discovery{};
}

// Returns the only GPU, or an empty one if there is none.
Gpu FoundOne(const FakeMachine& machine) {
  const Discovery found = Found(machine);
  EXPECT_THAT(found.gpus, SizeIs(1));
  return found.gpus.empty() ? Gpu{} : found.gpus[0];
}

TEST(Discovery, TellsEverythingAboutAnRtx3090) {
  FakeMachine machine("gpus: [{model: rtx3090, uuid: GPU-1, minor: 4, pciBusID: '00000000:0A:00.0', addressingMode: 1}]");
  machine.AddPci("0000:0a:00.0", "pci0000:00", 1);
  const Gpu gpu = FoundOne(machine);
  const Gpu expected = {.minor = 4,
                        .uuid = "GPU-1",
                        .product_name = "NVIDIA GeForce RTX 3090",
                        .brand = "GeForce",
                        .architecture = "Ampere",
                        .cuda_compute_capability = "8.6.0",
                        .driver_version = "580.105.8",
                        .cuda_driver_version = "13.0.0",
                        .raw_driver_version = "580.105.08",
                        .addressing_mode = "HMM",
                        .pci_bus_id = "0000:0a:00.0",
                        .pcie_root = "pci0000:00",
                        .numa_node = 1,
                        .memory_mib = 24576};
  EXPECT_EQ(gpu, expected);
}

TEST(Discovery, KnowsEveryModel) {
  const FakeMachine machine("gpus: [{model: rtx3090}, {model: rtx3060}, {model: l4}, {model: a100}, {model: h100}]");
  const auto is = [](const char* name, const char* brand, const char* architecture, const char* capability, int64_t memory) {
    return AllOf(Field(&Gpu::product_name, name), Field(&Gpu::brand, brand), Field(&Gpu::architecture, architecture),
                 Field(&Gpu::cuda_compute_capability, capability), Field(&Gpu::memory_mib, memory), Field(&Gpu::problems, IsEmpty()));
  };
  EXPECT_THAT(Found(machine).gpus, ElementsAre(is("NVIDIA GeForce RTX 3090", "GeForce", "Ampere", "8.6.0", 24576),
                                               is("NVIDIA GeForce RTX 3060", "GeForce", "Ampere", "8.6.0", 12288),
                                               is("NVIDIA L4", "Nvidia", "Ada Lovelace", "8.9.0", 23034),
                                               is("NVIDIA A100-SXM4-80GB", "Nvidia", "Ampere", "8.0.0", 81920),
                                               is("NVIDIA H100 80GB HBM3", "Nvidia", "Hopper", "9.0.0", 81559)));
}

TEST(Discovery, SortsByMinor) {
  const FakeMachine machine("gpus: [{model: l4, minor: 2}, {model: l4, minor: 0}, {model: l4, minor: 1}]");
  EXPECT_THAT(Found(machine).gpus, ElementsAre(Field(&Gpu::minor, 0), Field(&Gpu::minor, 1), Field(&Gpu::minor, 2)));
}

TEST(Discovery, OffersAGpuWithoutMemoryInformation) {
  const Gpu gpu = FoundOne(FakeMachine("gpus: [{model: rtx3090, memory: none}]"));
  EXPECT_EQ(gpu.memory_mib, std::nullopt);
  EXPECT_THAT(gpu.problems, IsEmpty());
}

TEST(Discovery, LeavesOutWhatSysfsDoesNotKnow) {
  FakeMachine machine("gpus: [{model: rtx3090}]");
  EXPECT_EQ(FoundOne(machine).numa_node, std::nullopt);
  EXPECT_EQ(FoundOne(machine).pcie_root, "");
  machine.AddPci("0000:01:00.0", "pci0000:00", -1);
  EXPECT_EQ(FoundOne(machine).numa_node, std::nullopt);
  EXPECT_EQ(FoundOne(machine).pcie_root, "pci0000:00");
}

TEST(Discovery, LeavesOutAGpuThatCannotBeNamed) {
  const FakeMachine machine(R"(
gpus:
- {model: l4, fail: {nvmlDeviceGetUUID: UNKNOWN}}
- {model: l4, fail: {nvmlDeviceGetMinorNumber: NOT_SUPPORTED}}
- {model: l4, lost: true}
- {model: rtx3060}
)");
  const Discovery found = Found(machine);
  EXPECT_THAT(found.gpus, ElementsAre(Field(&Gpu::minor, 3)));
  EXPECT_THAT(found.left_out, ElementsAre(HasSubstr("GPU number 0 is left out: nvmlDeviceGetUUID"),
                                          HasSubstr("GPU number 1 is left out: nvmlDeviceGetMinorNumber"), HasSubstr("GPU is lost")));
}

TEST(Discovery, FailsWhereNvmlDoesNotCount) {
  FakeMachine machine("fail: {nvmlDeviceGetCount_v2: UNKNOWN}");
  ASSERT_OK_AND_ASSIGN(const auto nvml, Nvml::Open(machine.driver_root()));
  EXPECT_THAT(Discover(*nvml, PosixFileSystem(), machine.sysfs()), IsStatus(Code::kUnavailable, HasSubstr("nvmlDeviceGetCount_v2")));
}

TEST(Discovery, TakesTheDriverVersionFromTheKernelModuleOtherwise) {
  const FakeMachine machine("{gpus: [{model: l4}], fail: {nvmlSystemGetDriverVersion: UNKNOWN}}");
  EXPECT_EQ(FoundOne(machine).driver_version, "0.0.0");
  std::filesystem::create_directories(machine.sysfs() + "/module/nvidia");
  std::ofstream(machine.sysfs() + "/module/nvidia/version") << "570.86.15\n";
  EXPECT_EQ(FoundOne(machine).driver_version, "570.86.15");
}

TEST(Discovery, ListsMigDevicesByPlacement) {
  const FakeMachine machine(R"(
gpus:
- model: a100
  mig:
  - {profile: 3g.40gb, gi: 2, start: 4, uuid: MIG-3g}
  - {profile: 1g.10gb, gi: 7, start: 0, uuid: MIG-1g}
)");
  const Gpu gpu = FoundOne(machine);
  EXPECT_TRUE(gpu.mig_enabled);
  EXPECT_THAT(gpu.problems, IsEmpty());
  const MigDevice small = {.uuid = "MIG-1g",
                           .profile = "1g.10gb",
                           .profile_id = 19,
                           .gpu_instance = 7,
                           .placement_size = 1,
                           .memory_mib = 9728,
                           .multiprocessors = 14,
                           .copy_engines = 1};
  const MigDevice large = {.uuid = "MIG-3g",
                           .profile = "3g.40gb",
                           .profile_id = 9,
                           .gpu_instance = 2,
                           .placement_start = 4,
                           .placement_size = 4,
                           .memory_mib = 40192,
                           .multiprocessors = 42,
                           .copy_engines = 3,
                           .decoders = 2};
  EXPECT_THAT(gpu.mig, ElementsAre(small, large));
}

TEST(Discovery, SaysThatAMigDeviceIsLeftOut) {
  const FakeMachine machine("gpus: [{model: h100, mig: [{}], fail: {nvmlDeviceGetAttributes_v2: UNKNOWN}}]");
  const Gpu gpu = FoundOne(machine);
  EXPECT_TRUE(gpu.mig_enabled);
  EXPECT_THAT(gpu.mig, IsEmpty());
  EXPECT_THAT(gpu.problems, ElementsAre(HasSubstr("a MIG device is left out: nvmlDeviceGetAttributes_v2")));
}

TEST(Discovery, SeesAGpuInMigModeWithoutMigDevices) {
  const Gpu gpu = FoundOne(FakeMachine("gpus: [{model: h100, mig: []}]"));
  EXPECT_TRUE(gpu.mig_enabled);
  EXPECT_THAT(gpu.mig, IsEmpty());
}

// A missing attribute is an error in a selector, which stops the scheduling of the Pod. So a failed call must not remove an attribute.
class EveryOptionalCall : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOptionalCall, MayFailAndTheGpuIsComplete) {
  FakeMachine machine("");
  for (const char* code : {"NOT_SUPPORTED", "UNKNOWN", "FUNCTION_NOT_FOUND", "GPU_IS_LOST"}) {
    SCOPED_TRACE(code);
    machine.Write(StrCat("{gpus: [{model: a100, mig: [{profile: 1g.10gb}]}], fail: {", GetParam(), ": ", code, "}}"));
    const Gpu gpu = FoundOne(machine);
    for (const std::string& text : {gpu.uuid, gpu.product_name, gpu.brand, gpu.architecture}) EXPECT_NE(text, "");
    for (const std::string& version : {gpu.cuda_compute_capability, gpu.driver_version, gpu.cuda_driver_version}) {
      EXPECT_THAT(version, ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
    }
    for (const MigDevice& mig : gpu.mig) EXPECT_EQ(mig.profile, "1g.10gb");
  }
}

std::vector<std::string> OptionalCalls() {
  std::vector<std::string> symbols;
#define ALLOT_IGNORE(symbol, parameters)
#define ALLOT_ADD(symbol, parameters) symbols.emplace_back(#symbol);
  ALLOT_NVML_FUNCTIONS(ALLOT_IGNORE, ALLOT_ADD)
#undef ALLOT_ADD
#undef ALLOT_IGNORE
  return symbols;
}

INSTANTIATE_TEST_SUITE_P(Discovery, EveryOptionalCall, ::testing::ValuesIn(OptionalCalls()), [](const auto& test) { return test.param; });

TEST(HasNvidiaGpu, LooksAtTheBusAndNotAtTheDriver) {
  FakeMachine machine("gpus: []\n");
  machine.RemoveLibrary();
  EXPECT_FALSE(HasNvidiaGpu(PosixFileSystem(), machine.sysfs()));
  machine.AddPci("0000:01:00.0", "pci0000:00", 0);
  EXPECT_TRUE(HasNvidiaGpu(PosixFileSystem(), machine.sysfs()));
  EXPECT_FALSE(HasNvidiaGpu(PosixFileSystem(), "/nowhere"));
}

}  // namespace
}  // namespace allot::device::nvidia
