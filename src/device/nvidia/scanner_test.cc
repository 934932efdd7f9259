#include "device/nvidia/scanner.h"

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "device/nvidia/fake_machine.h"

namespace allot::device::nvidia {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using State = Health::State;

constexpr std::string_view kTwoGpus = "gpus: [{model: rtx3090, uuid: GPU-0}, {model: rtx3060, uuid: GPU-1}]\n";

class ScannerTest : public ::testing::Test {
 protected:
  // Does what the inventory's thread does: waits for errors and scans.
  Snapshot WaitAndScan() {
    EXPECT_OK(scanner_.WaitForErrors(milliseconds(0)));
    return scanner_.Scan();
  }

  FakeMachine machine_{kTwoGpus};
  const PosixFileSystem files_;
  FakeClock clock_;
  NvmlSession session_;
  Scanner scanner_{{.driver_root = machine_.driver_root().path(), .sysfs = machine_.sysfs()}, files_, clock_, session_};
};

auto Uuids(const std::vector<Gpu>& gpus) {
  std::vector<std::string> uuids;
  uuids.reserve(gpus.size());
  for (const Gpu& gpu : gpus) uuids.push_back(gpu.uuid);
  return uuids;
}

TEST_F(ScannerTest, FindsTheGpusAndLooksAgainAfterTheInterval) {
  EXPECT_TRUE(scanner_.IsDue());
  const Snapshot snapshot = scanner_.Scan();
  EXPECT_OK(snapshot.status);
  EXPECT_THAT(Uuids(snapshot.gpus), ElementsAre("GPU-0", "GPU-1"));
  EXPECT_THAT(snapshot.health, ElementsAre(std::pair("GPU-0", Health{}), std::pair("GPU-1", Health{})));
  EXPECT_FALSE(scanner_.IsDue());
  clock_.Advance(seconds(15));
  EXPECT_TRUE(scanner_.IsDue());
  EXPECT_EQ(scanner_.Scan(), snapshot);
}

TEST_F(ScannerTest, NoticesGpusThatComeAndGo) {
  scanner_.Scan();
  machine_.Write("gpus: [{model: rtx3060, uuid: GPU-1, minor: 1}, {model: l4, uuid: GPU-2}]");
  EXPECT_THAT(Uuids(scanner_.Scan().gpus), ElementsAre("GPU-1", "GPU-2"));
}

TEST_F(ScannerTest, OpensNvmlAgainWhenTheDriverHasAnotherDevice) {
  machine_.AddPci("0000:01:00.0", "pci0000:00", 0);
  machine_.Write("{enumerate: once, gpus: [{model: l4, uuid: GPU-0}]}");
  scanner_.Scan();
  machine_.Write("{enumerate: once, gpus: [{model: l4, uuid: GPU-0}, {model: l4, uuid: GPU-1}]}");
  EXPECT_THAT(Uuids(scanner_.Scan().gpus), ElementsAre("GPU-0"));  // NVML does not search again by itself
  machine_.AddPci("0000:02:00.0", "pci0000:00", 0);
  EXPECT_THAT(Uuids(scanner_.Scan().gpus), ElementsAre("GPU-0", "GPU-1"));
  machine_.Write("{enumerate: once, gpus: [{model: l4, uuid: GPU-1}]}");
  machine_.RemovePci("0000:01:00.0");
  EXPECT_THAT(Uuids(scanner_.Scan().gpus), ElementsAre("GPU-1"));
}

TEST_F(ScannerTest, NoticesMigDevicesAndMemory) {
  machine_.Write("gpus: [{model: a100, uuid: GPU-0}]");
  EXPECT_FALSE(scanner_.Scan().gpus[0].mig_enabled);
  machine_.Write("gpus: [{model: a100, uuid: GPU-0, memory: 80000, mig: [{uuid: MIG-1, gi: 3}]}]");
  const Snapshot snapshot = scanner_.Scan();
  EXPECT_EQ(snapshot.gpus[0].memory_mib, 80000);
  EXPECT_THAT(snapshot.gpus[0].mig, ElementsAre(Field(&MigDevice::uuid, "MIG-1")));
  EXPECT_TRUE(snapshot.health.contains("MIG-1"));
}

TEST_F(ScannerTest, TakesAGpuWithACriticalErrorOutAndBack) {
  scanner_.Scan();
  machine_.Write(StrCat(kTwoGpus, "events: [{id: 1, gpu: 1, xid: 95}]"));
  Snapshot snapshot = WaitAndScan();
  EXPECT_EQ(snapshot.health["GPU-0"], Health{});
  EXPECT_THAT(snapshot.health["GPU-1"], AllOf(Field(&Health::state, State::kUnhealthy), Field(&Health::value, "95")));
  clock_.Advance(minutes(4));
  EXPECT_EQ(WaitAndScan().health["GPU-1"].state, State::kUnhealthy);
  clock_.Advance(minutes(1));
  EXPECT_EQ(WaitAndScan().health["GPU-1"], Health{});
}

TEST_F(ScannerTest, KeepsAGpuUnhealthyThatDoesNotAnswer) {
  scanner_.Scan();
  machine_.Write(StrCat(kTwoGpus, "events: [{id: 1, gpu: 0, xid: 119}]\nfail: {nvmlDeviceGetMemoryInfo: UNKNOWN,",
                        " nvmlDeviceGetMemoryInfo_v2: UNKNOWN}"));
  EXPECT_EQ(WaitAndScan().health["GPU-0"].state, State::kUnhealthy);
  clock_.Advance(minutes(60));
  EXPECT_EQ(WaitAndScan().health["GPU-0"].state, State::kUnhealthy);
  machine_.Write(kTwoGpus);
  EXPECT_EQ(WaitAndScan().health["GPU-0"], Health{});
}

TEST_F(ScannerTest, TakesABurstForOneChange) {
  scanner_.Scan();
  std::string events = "events:\n";
  for (int id = 1; id <= 100; ++id) events += StrCat("- {id: ", id, ", gpu: ", id % 2, ", xid: 63}\n");
  machine_.Write(StrCat(kTwoGpus, events));
  EXPECT_THAT(scanner_.WaitForErrors(milliseconds(0)), IsOkAndHolds(true));
  EXPECT_THAT(scanner_.WaitForErrors(milliseconds(0)), IsOkAndHolds(false));
  Snapshot snapshot = scanner_.Scan();
  EXPECT_EQ(snapshot.health["GPU-0"].value, "63");
  EXPECT_EQ(snapshot.health["GPU-1"].value, "63");
}

TEST_F(ScannerTest, NotesTheErrorsOfPrograms) {
  scanner_.Scan();
  machine_.Write(StrCat(kTwoGpus, "events: [{id: 1, gpu: 0, xid: 13}]"));
  EXPECT_EQ(WaitAndScan().health["GPU-0"].state, State::kNoted);
}

TEST_F(ScannerTest, TakesAnErrorOfTwoBitsForXid48) {
  machine_.Write("gpus: [{model: a100, uuid: GPU-0}]");
  scanner_.Scan();
  machine_.Write("{gpus: [{model: a100, uuid: GPU-0}], events: [{id: 1, type: single-bit}, {id: 2, type: double-bit}]}");
  EXPECT_EQ(WaitAndScan().health["GPU-0"].value, "48");
}

TEST_F(ScannerTest, FindsTheMigDeviceOfAnError) {
  const std::string gpus = "gpus: [{model: a100, uuid: GPU-0, mig: [{uuid: MIG-1, gi: 1}, {uuid: MIG-2, gi: 2, start: 1}]}]\n";
  machine_.Write(gpus);
  scanner_.Scan();
  machine_.Write(gpus + "events: [{id: 1, xid: 94, gi: 2, ci: 0}]");
  Snapshot snapshot = WaitAndScan();
  EXPECT_EQ(snapshot.health["MIG-1"].state, State::kHealthy);
  EXPECT_EQ(snapshot.health["MIG-2"].state, State::kUnhealthy);
}

TEST_F(ScannerTest, KeepsALostGpuInTheListUntilItIsBack) {
  const Gpu before = scanner_.Scan().gpus[0];
  machine_.Write("gpus: [{model: rtx3090, uuid: GPU-0, lost: true}, {model: rtx3060, uuid: GPU-1}]");
  Snapshot snapshot = scanner_.Scan();
  ASSERT_THAT(Uuids(snapshot.gpus), ElementsAre("GPU-0", "GPU-1"));
  EXPECT_EQ(snapshot.gpus[0], before);
  EXPECT_THAT(snapshot.health["GPU-0"], AllOf(Field(&Health::state, State::kUnhealthy), Field(&Health::key, "gpu-lost")));
  EXPECT_EQ(snapshot.health["GPU-1"], Health{});
  machine_.Write(kTwoGpus);
  snapshot = scanner_.Scan();
  EXPECT_EQ(snapshot.health["GPU-0"], Health{});
  EXPECT_THAT(snapshot.left_out, IsEmpty());
}

// A failed call must not change the name of a running Pod's GPU, or remove its memory or its MIG devices.
TEST_F(ScannerTest, KeepsTheAttributesOfAGpuWhoseCallsFail) {
  machine_.AddPci("0000:01:00.0", "pci0000:00", 1);
  const std::string card = "{model: a100, uuid: GPU-0, mig: [{uuid: MIG-1}], addressingMode: 1";
  machine_.Write(StrCat("gpus: [", card, "}]"));
  const Gpu before = scanner_.Scan().gpus[0];
  std::string failures;
  for (const char* symbol : {"Name", "Brand", "Architecture", "CudaComputeCapability", "PciInfo_v3", "MemoryInfo", "MemoryInfo_v2",
                             "MigMode", "AddressingMode", "Attributes_v2"}) {
    failures += StrCat("nvmlDeviceGet", symbol, ": GPU_IS_LOST, ");
  }
  machine_.Write(StrCat("gpus: [", card, ", fail: {", failures, "}}]"));
  Snapshot snapshot = scanner_.Scan();
  EXPECT_EQ(snapshot.health["GPU-0"].key, "gpu-lost");
  Gpu after = snapshot.gpus[0];
  EXPECT_THAT(after.problems, SizeIs(9));
  after.problems.clear();
  EXPECT_EQ(after, before);
  machine_.Write(StrCat("gpus: [", card, ", fail: {nvmlDeviceGetMaxMigDeviceCount: UNKNOWN}}]"));
  EXPECT_EQ(scanner_.Scan().gpus[0].mig, before.mig);
}

TEST_F(ScannerTest, HearsOfTheErrorsOfOthersWhileOneIsLost) {
  scanner_.Scan();
  const std::string lost = "gpus: [{model: rtx3090, uuid: GPU-0, lost: true}, {model: rtx3060, uuid: GPU-1}]\n";
  machine_.Write(lost);
  scanner_.Scan();
  machine_.Write(lost + "events: [{id: 1, gpu: 1, xid: 95}]");
  EXPECT_EQ(WaitAndScan().health["GPU-1"].value, "95");
}

TEST_F(ScannerTest, OpensNvmlAgainWhileAGpuIsLost) {
  const std::string one = "enumerate: once\ngpus: [{model: rtx3090, uuid: GPU-0";
  machine_.Write(one + "}]");
  scanner_.Scan();
  machine_.Write(one + ", lost: true}]");
  EXPECT_EQ(scanner_.Scan().health["GPU-0"].key, "gpu-lost");
  // The GPU is back with another UUID, like a GPU that was replaced. Only a new nvmlInit sees it.
  machine_.Write("enumerate: once\ngpus: [{model: rtx3090, uuid: GPU-9}]");
  EXPECT_EQ(scanner_.Scan().health["GPU-0"].key, "gpu-lost");
  clock_.Advance(minutes(1));
  EXPECT_THAT(Uuids(scanner_.Scan().gpus), ElementsAre("GPU-9"));
}

TEST_F(ScannerTest, NotesAGpuWhoseErrorsAreNotReported) {
  machine_.Write(StrCat(kTwoGpus, "fail: {nvmlDeviceRegisterEvents: NOT_SUPPORTED}"));
  EXPECT_EQ(scanner_.Scan().health["GPU-0"].key, "unmonitored");
  EXPECT_FALSE(scanner_.CanWait());
  machine_.Write(kTwoGpus);
  EXPECT_EQ(scanner_.Scan().health["GPU-0"], Health{});
  EXPECT_TRUE(scanner_.CanWait());
}

TEST_F(ScannerTest, TriesAgainWithGrowingPausesWhereNvmlIsMissing) {
  machine_.RemoveLibrary();
  for (const int pause : {1, 2, 4, 8, 16, 30, 30}) {
    ASSERT_TRUE(scanner_.IsDue());
    const Snapshot snapshot = scanner_.Scan();
    EXPECT_THAT(snapshot.status, IsStatus(Code::kNotFound, HasSubstr("libnvidia-ml.so.1")));
    EXPECT_THAT(snapshot.gpus, IsEmpty());
    clock_.Advance(seconds(pause) - milliseconds(1));
    EXPECT_FALSE(scanner_.IsDue()) << pause;
    clock_.Advance(milliseconds(1));
  }
  machine_.InstallLibrary();
  EXPECT_OK(scanner_.Scan().status);
}

TEST_F(ScannerTest, OffersNothingWhileNvmlIsBrokenAndRemembersWhatWasWrong) {
  scanner_.Scan();
  machine_.Write(StrCat(kTwoGpus, "events: [{id: 1, gpu: 0, xid: 95}]"));
  WaitAndScan();
  machine_.Write("fail: {nvmlDeviceGetCount_v2: LIB_RM_VERSION_MISMATCH}");
  const Snapshot broken = scanner_.Scan();
  EXPECT_THAT(broken.status, IsStatus(Code::kUnavailable, HasSubstr("restart the machine")));
  EXPECT_THAT(broken.gpus, IsEmpty());
  EXPECT_THAT(session_.With([](const Nvml& nvml) { return nvml.DeviceCount(); }), IsStatus(Code::kUnavailable, HasSubstr("restart")));
  machine_.Write(kTwoGpus);
  Snapshot snapshot = scanner_.Scan();
  EXPECT_THAT(Uuids(snapshot.gpus), ElementsAre("GPU-0", "GPU-1"));
  EXPECT_EQ(snapshot.health["GPU-0"].value, "95");
}

}  // namespace
}  // namespace allot::device::nvidia
