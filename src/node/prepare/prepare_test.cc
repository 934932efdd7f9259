#include "node/prepare/prepare.h"

#include <thread>

#include "node/prepare/prepare_fixture.h"

namespace allot::node {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

constexpr std::string_view kShare = "7f3a0000-0000-4000-8000-000000000001";

class PrepareTest : public PrepareFixture {
 protected:
  ClaimRef Claim(const std::string& uid, std::string_view memory, std::string_view device = "gpu-0") {
    world_.Put("lab", "claim-" + uid, uid, Allocated(ResultJson("gpu", device, memory, kShare)));
    return {"lab", "claim-" + uid, uid};
  }
  ClaimRef ClaimWith(const std::string& uid, const std::string& status) {
    world_.Put("lab", "claim-" + uid, uid, status);
    return {"lab", "claim-" + uid, uid};
  }
  Result<std::vector<PreparedDevice>> Prepare(const ClaimRef& claim) { return agent_.preparer.Prepare(claim, Short()); }

  Agent agent_{*this, files_};
};

TEST_F(PrepareTest, ClaimGetsItsDeviceShareAndLimit) {
  ASSERT_OK_AND_ASSIGN(const auto devices, Prepare(Claim("u1", "6Gi")));
  EXPECT_THAT(devices, ElementsAre(PreparedDevice{
                           {"gpu"}, "n1", "gpu-0", std::string(kShare), {"k8s.gpu.nvidia.com/claim=u1-gpu-0"}, Rtx3090().uuid}));
  ASSERT_OK_AND_ASSIGN(const std::string spec, files_.ReadFile(CdiPath("u1"), 1 << 20));
  EXPECT_THAT(spec, AllOf(HasSubstr("ALLOT_GPU_MEMORY_GPU_00000000_aaaa_bbbb_cccc_dddddddddddd__7f3a0000_0000_4000_8000_000000000001=6144"),
                          HasSubstr("\"hostPath\": \"/drv/dev/nvidia0\""), HasSubstr("NVIDIA_VISIBLE_DEVICES=void"),
                          HasSubstr("/drv/usr/lib/x86_64-linux-gnu/libcuda.so.580.105.08"), HasSubstr("update-ldcache")));
  EXPECT_THAT(spec, Not(HasSubstr("nvidia1")));
}

TEST_F(PrepareTest, RepeatedPrepareAnswersTheSameWithoutTheApi) {
  const ClaimRef claim = Claim("u1", "6Gi");
  ASSERT_OK_AND_ASSIGN(const auto first, Prepare(claim));
  world_.down = true;
  EXPECT_THAT(Prepare(claim), IsOkAndHolds(first));
  Agent restarted(*this, files_);
  EXPECT_THAT(restarted.preparer.Prepare(claim, Short()), IsOkAndHolds(first));
}

TEST_F(PrepareTest, LostSpecIsMadeAgain) {
  const ClaimRef claim = Claim("u1", "6Gi");
  ASSERT_OK(Prepare(claim));
  const std::string spec = *files_.ReadFile(CdiPath("u1"), 1 << 20);
  ASSERT_OK(files_.Remove(CdiPath("u1")));
  ASSERT_OK(Prepare(claim));
  EXPECT_EQ(*files_.ReadFile(CdiPath("u1"), 1 << 20), spec);
  ASSERT_OK(files_.WriteFileAtomic(CdiPath("u1"), "half a sp"));
  ASSERT_OK(agent_.preparer.Repair(Short()));
  EXPECT_EQ(*files_.ReadFile(CdiPath("u1"), 1 << 20), spec);
}

TEST_F(PrepareTest, UnprepareLeavesNothingAndIsIdempotent) {
  const ClaimRef claim = Claim("u1", "6Gi");
  ASSERT_OK(Prepare(claim));
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(agent_.preparer.Unprepare(claim, Short()));
    EXPECT_FALSE(files_.Exists(CdiPath("u1")));
    EXPECT_THAT(*agent_.journal->Read(), IsEmpty());
  }
}

TEST_F(PrepareTest, WrongAllocationIsStoppedAtTheGate) {
  for (int i = 0; i < 4; ++i) ASSERT_OK(Prepare(Claim(StrCat("u", i), "6Gi")));
  EXPECT_THAT(Prepare(Claim("u4", "6Gi")),
              IsStatus(Code::kExhausted, AllOf(HasSubstr("claim lab/claim-u4: gpu-0"), HasSubstr("and 0 MiB free"),
                                               HasSubstr("lab/claim-u2 holds 6144 MiB"))));
  EXPECT_FALSE(files_.Exists(CdiPath("u4")));
  ASSERT_OK(agent_.preparer.Unprepare({"lab", "claim-u2", "u2"}, Short()));
  ASSERT_OK(Prepare(Claim("u4", "6Gi")));
}

TEST_F(PrepareTest, ShareThatIsAboutToBeLetGoIsWaitedFor) {
  const ClaimRef old_claim = Claim("old", "24Gi");
  ASSERT_OK(Prepare(old_claim));
  world_.Remove("lab", "claim-old");  // its Pod was deleted by force, and kubelet has not unprepared it yet
  const ClaimRef new_claim = Claim("new", "24Gi");
  Result<std::vector<PreparedDevice>> prepared = Unavailable("not yet");
  std::thread waits([&] { prepared = agent_.preparer.Prepare(new_claim, Long()); });
  ASSERT_OK(agent_.preparer.Unprepare(old_claim, Short()));
  waits.join();
  EXPECT_OK(prepared);
}

TEST_F(PrepareTest, NoMemoryConsumedIsTheWholeGpu) {
  ASSERT_OK(Prepare(ClaimWith("u1", Allocated(ResultJson("gpu", "gpu-0", "")))));
  EXPECT_EQ(agent_.journal->Read()->at("u1")->shares[0].memory_mib, 24576);
  EXPECT_THAT(Prepare(Claim("u2", "1Mi")), IsStatus(Code::kExhausted));
}

TEST_F(PrepareTest, TwoRequestsOfOneClaimOnOneGpuHaveTheirOwnDevices) {
  const std::string results =
      StrCat(ResultJson("a", "gpu-0", "6Gi", kShare), ",", ResultJson("b/large", "gpu-0", "2Gi", "7f3a0000-0000-4000-8000-000000000002"));
  ASSERT_OK_AND_ASSIGN(const auto devices, Prepare(ClaimWith("u1", Allocated(results))));
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_THAT(devices[0].cdi_ids, ElementsAre("k8s.gpu.nvidia.com/claim=u1-gpu-0-0"));
  EXPECT_THAT(devices[1].cdi_ids, ElementsAre("k8s.gpu.nvidia.com/claim=u1-gpu-0-1"));
  EXPECT_THAT(devices[1].requests, ElementsAre("b"));
}

TEST_F(PrepareTest, BadClaimsAreRefusedWithTheReason) {
  world_.gpus.push_back(Rtx3090(1));
  const auto says = [](std::string_view text) { return AllOf(HasSubstr("claim lab/claim-u"), HasSubstr(std::string(text))); };
  EXPECT_THAT(Prepare({"lab", "claim-u-none", "u"}), IsStatus(Code::kNotFound, says("not found")));
  EXPECT_THAT(Prepare(ClaimWith("u1", "{}")), IsStatus(Code::kInvalid, says("not allocated")));
  ClaimRef replaced = Claim("u2", "6Gi");
  replaced.uid = "older";
  EXPECT_THAT(Prepare(replaced), IsStatus(Code::kInvalid, says("replaced")));
  EXPECT_THAT(Prepare(Claim("u3", "6Gi", "gpu-7")), IsStatus(Code::kNotFound, says("gpu-7 is not on this node (gpu-0, gpu-1)")));
  EXPECT_THAT(Prepare(ClaimWith("u4", Allocated(R"({"request":"g","driver":"other","pool":"n1","device":"x"})"))),
              IsStatus(Code::kInvalid, says("no device of driver gpu.nvidia.com")));
  EXPECT_THAT(Prepare(ClaimWith("u5", Allocated(R"({"request":"g","driver":"gpu.nvidia.com","pool":"n2","device":"gpu-0"})"))),
              IsStatus(Code::kInvalid, says("is of pool \"n2\", and this is node \"n1\"")));
  EXPECT_THAT(*agent_.journal->Read(), IsEmpty());
  EXPECT_THAT(*agent_.cdi.Uids(), IsEmpty());
}

TEST_F(PrepareTest, FaultsThatPassAreWaitedOut) {
  world_.down = true;
  world_.broken = "driver not loaded";
  const ClaimRef claim = Claim("u1", "6Gi");
  std::filesystem::remove(folder_ + "/root/dev/nvidia0");
  Result<std::vector<PreparedDevice>> prepared = Unavailable("not yet");
  std::thread waits([&] { prepared = agent_.preparer.Prepare(claim, Long()); });
  const auto logged = [&](std::string_view text) {
    const std::lock_guard lock(log_mutex_);
    return std::any_of(log_.begin(), log_.end(), [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  const auto await = [&](std::string_view text) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    while (!logged(text) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(logged(text)) << text;
  };
  await("connection refused");
  world_.down = false;
  world_.broken = "";
  await("device node /drv/dev/nvidia0 of gpu-0 is missing");
  std::ofstream(folder_ + "/root/dev/nvidia0") << "";
  waits.join();
  EXPECT_OK(prepared);
}

TEST_F(PrepareTest, TimeSliceIsSetAndResetWithTheLastSharer) {
  const std::string config = R"({"source":"FromClaim","requests":[],"opaque":{"driver":"gpu.nvidia.com","parameters":{
    "apiVersion":"resource.nvidia.com/v1beta1","kind":"GpuConfig","sharing":{"strategy":"TimeSlicing","timeSlicingConfig":{"interval":"Long"}}}}})";
  const ClaimRef a = ClaimWith("a", Allocated(ResultJson("gpu", "gpu-0", "6Gi", kShare), config));
  const ClaimRef b = ClaimWith("b", Allocated(ResultJson("gpu", "gpu-0", "6Gi", kShare), config));
  ASSERT_OK(Prepare(a));
  ASSERT_OK(Prepare(b));
  EXPECT_EQ(slices_.set[Rtx3090().uuid], "Long");
  ASSERT_OK(agent_.preparer.Unprepare(a, Short()));
  EXPECT_EQ(slices_.set[Rtx3090().uuid], "Long");
  ASSERT_OK(agent_.preparer.Unprepare(b, Short()));
  EXPECT_EQ(slices_.set[Rtx3090().uuid], "Default");
}

// Bug: a step of a newer release was taken for a time slice, and ended the agent again and again.
TEST_F(PrepareTest, StepOfANewerReleaseIsRefusedAndKept) {
  const ClaimRef claim = Claim("u1", "6Gi");
  ASSERT_OK(Prepare(claim));
  Holding holding = *agent_.journal->Read()->at("u1");
  holding.steps.push_back({"future", Rtx3090().uuid, ""});
  ASSERT_OK(agent_.journal->Replace(holding));
  EXPECT_THAT(agent_.preparer.Repair(Short()), IsStatus(Code::kInvalid, HasSubstr("unknown step \"future\"; a newer allot made it")));
  EXPECT_THAT(agent_.preparer.Unprepare(claim, Short()), IsStatus(Code::kInvalid, HasSubstr("unknown step \"future\"")));
  EXPECT_THAT(slices_.set, IsEmpty());
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1")));
}

TEST_F(PrepareTest, MpsNeedsItsDaemon) {
  const std::string config = R"({"source":"FromClaim","opaque":{"driver":"gpu.nvidia.com","parameters":{
    "apiVersion":"resource.nvidia.com/v1beta1","kind":"GpuConfig","sharing":{"strategy":"MPS","mpsConfig":{"defaultActiveThreadPercentage":50}}}}})";
  const ClaimRef claim = ClaimWith("a", Allocated(ResultJson("gpu", "gpu-0", "6Gi", kShare), config));
  EXPECT_THAT(Prepare(claim), IsStatus(Code::kUnavailable, HasSubstr("no MPS daemon runs on this node")));
  EXPECT_FALSE(files_.Exists(CdiPath("a")));
  std::filesystem::create_directories(folder_ + "/mps");
  std::ofstream(folder_ + "/mps/control") << "";
  ASSERT_OK(Prepare(claim));
  EXPECT_THAT(*files_.ReadFile(CdiPath("a"), 1 << 20), HasSubstr("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50"));
}

TEST_F(PrepareTest, ToolkitsDeviceIsUsedWhereItIsThere) {
  std::filesystem::create_directories(folder_ + "/etc-cdi");
  std::ofstream(folder_ + "/etc-cdi/nvidia.yaml")
      << "cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n- name: " << Rtx3090().uuid << "\n  containerEdits: {}\n";
  ASSERT_OK_AND_ASSIGN(const auto devices, Prepare(Claim("u1", "6Gi")));
  EXPECT_THAT(devices[0].cdi_ids, ElementsAre("nvidia.com/gpu=" + Rtx3090().uuid, "k8s.gpu.nvidia.com/claim=u1-gpu-0"));
  EXPECT_THAT(*files_.ReadFile(CdiPath("u1"), 1 << 20), AllOf(HasSubstr("=6144"), Not(HasSubstr("deviceNodes")), Not(HasSubstr("mounts"))));
}

TEST_F(PrepareTest, RepairRemovesSpecsWithoutAClaim) {
  ASSERT_OK(Prepare(Claim("kept", "6Gi")));
  std::ofstream(CdiPath("orphan")) << "{}";
  ASSERT_OK(agent_.preparer.Repair(Short()));
  EXPECT_THAT(agent_.cdi.Uids(), IsOkAndHolds(ElementsAre("kept")));
}

TEST_F(PrepareTest, HoldingIsLetGoWhenItsClaimIsNotAllocatedHereAnyMore) {
  for (const std::string uid : {"kept", "gone", "replaced", "freed", "elsewhere"}) ASSERT_OK(Prepare(Claim(uid, "1Gi")));
  world_.Remove("lab", "claim-gone");
  world_.Put("lab", "claim-replaced", "another", Allocated(ResultJson("gpu", "gpu-0", "1Gi", kShare)));
  world_.Put("lab", "claim-freed", "freed", "{}");
  world_.Put("lab", "claim-elsewhere", "elsewhere", Allocated(R"({"request":"g","driver":"gpu.nvidia.com","pool":"n2","device":"gpu-0"})"));
  ASSERT_OK(agent_.preparer.LetGo(seconds(0), Short()));
  EXPECT_EQ(agent_.journal->Read()->size(), 5u) << "kubelet may still come to it";
  ASSERT_OK(agent_.preparer.LetGo(seconds(0), Short()));
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("kept")));
  EXPECT_THAT(agent_.cdi.Uids(), IsOkAndHolds(ElementsAre("kept")));
}

TEST_F(PrepareTest, AHoldingThatIsInUseIsKeptThoughItsClaimIsGone) {
  ASSERT_OK(Prepare(Claim("u1", "6Gi")));
  world_.Remove("lab", "claim-u1");
  in_use_ = {"u1"};
  for (int i = 0; i < 3; ++i) ASSERT_OK(agent_.preparer.LetGo(seconds(0), Short()));
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1")));
  in_use_.clear();
  for (int i = 0; i < 2; ++i) ASSERT_OK(agent_.preparer.LetGo(seconds(0), Short()));
  EXPECT_TRUE(agent_.journal->Read()->empty());
}

TEST_F(PrepareTest, NothingIsLetGoWhileTheApiIsDown) {
  ASSERT_OK(Prepare(Claim("u1", "6Gi")));
  world_.down = true;
  for (int i = 0; i < 3; ++i) ASSERT_OK(agent_.preparer.LetGo(seconds(0), Short()));
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1")));
}

TEST_F(PrepareTest, ClaimThatWasAllocatedAnewGetsWhatItHasNow) {
  world_.gpus.push_back(Rtx3090(1));
  ASSERT_OK(Prepare(Claim("u1", "6Gi")));
  ASSERT_OK_AND_ASSIGN(const auto devices, Prepare(Claim("u1", "2Gi", "gpu-1")));
  EXPECT_EQ(devices[0].device, "gpu-1");
  EXPECT_EQ(agent_.journal->Read()->at("u1")->shares[0].memory_mib, 2048);
}

// Bug: an amount near the largest number became negative and passed the fit check.
TEST_F(PrepareTest, AmountBeyondEveryCardIsRefused) {
  for (const std::string_view amount : {"9223372036854775807", "9223372036854775808", "1e30"}) {
    EXPECT_THAT(Prepare(Claim("u1", amount)), IsStatus(Code::kExhausted)) << amount;
  }
  for (const std::string_view amount : {"0", "-1"}) {
    EXPECT_THAT(Prepare(Claim("u1", amount)), IsStatus(Code::kInvalid, HasSubstr("consumedCapacity.memory"))) << amount;
  }
  EXPECT_THAT(*agent_.journal->Read(), IsEmpty());
}

// Bug: during an update, the agent whose Prepare failed removed what the other agent had prepared.
TEST_F(PrepareTest, AgentThatFailsLeavesWhatAnotherOneMade) {
  const ClaimRef claim = Claim("u1", "6Gi");
  ASSERT_OK(Prepare(claim));
  Agent other(*this, files_);
  std::filesystem::remove(folder_ + "/root/dev/nvidia0");
  ASSERT_OK(files_.Remove(CdiPath("u1")));
  EXPECT_FALSE(other.preparer.Prepare(claim, Short()).ok());
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1")));
}

// Bug: when the journal was damaged or lost, running claims were forgotten and their GPUs given to other claims.
TEST_F(PrepareTest, LostJournalIsRestoredFromSpecsEvenIfTheGpusAreNotSeen) {
  ASSERT_OK(Prepare(Claim("u1", "18Gi")));
  ASSERT_OK(Prepare(Claim("u2", "6Gi")));
  const Holding held = *agent_.journal->Read()->at("u1");
  const std::string spec = *files_.ReadFile(CdiPath("u1"), 1 << 20);
  std::filesystem::remove(folder_ + "/state/journal");
  EXPECT_THAT(Prepare(Claim("u3", "12Gi")), IsStatus(Code::kUnavailable, HasSubstr("is not in its journal")));
  EXPECT_TRUE(agent_.preparer.NeedsRepair(*agent_.journal->Read()));
  world_.Remove("lab", "claim-u2");
  const std::vector<device::nvidia::Gpu> gpus = std::exchange(world_.gpus, {});
  ASSERT_OK(agent_.preparer.Repair(Short()));
  world_.gpus = gpus;
  ASSERT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1")));
  EXPECT_EQ(*agent_.journal->Read()->at("u1"), held);
  EXPECT_THAT(files_.ReadFile(CdiPath("u1"), 1 << 20), IsOkAndHolds(spec));
  EXPECT_FALSE(agent_.cdi.Has("u2"));
  EXPECT_FALSE(agent_.preparer.NeedsRepair(*agent_.journal->Read()));
  EXPECT_THAT(Prepare(Claim("u3", "12Gi")), IsStatus(Code::kExhausted, HasSubstr("18432")));
}

TEST_F(PrepareTest, LostJournalIsRestoredWhileTheApiIsDownOrTheClaimIsInUse) {
  ASSERT_OK(Prepare(Claim("u1", "6Gi")));
  ASSERT_OK(Prepare(Claim("u2", "6Gi")));
  std::filesystem::remove(folder_ + "/state/journal");
  world_.Remove("lab", "claim-u2");
  world_.down = true;
  ASSERT_OK(agent_.preparer.Repair(Short()));
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1"), Key("u2")));
  std::filesystem::remove(folder_ + "/state/journal");
  world_.down = false;
  in_use_ = {"u2"};
  ASSERT_OK(agent_.preparer.Repair(Short()));
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1"), Key("u2")));
}

TEST_F(PrepareTest, LostJournalIsPutTogetherAgainFromTheApiAndSpecsOfAnOlderRelease) {
  ASSERT_OK(Prepare(Claim("u1", "18Gi")));
  ASSERT_OK(Prepare(Claim("u2", "6Gi")));
  const std::string spec = *files_.ReadFile(CdiPath("u1"), 1 << 20);
  for (const std::string uid : {"u1", "u2"}) {
    std::string text = *files_.ReadFile(CdiPath(uid), 1 << 20);
    ASSERT_NE(text.find("allot/holding"), text.npos);
    ASSERT_OK(files_.ReplaceFile(CdiPath(uid), text.replace(text.find("allot/holding"), 13, "allot/unknown")));
  }
  std::filesystem::remove(folder_ + "/state/journal");
  const ClaimRef late = Claim("u3", "12Gi");
  EXPECT_THAT(Prepare(late), IsStatus(Code::kUnavailable, HasSubstr("is not in its journal")));
  EXPECT_TRUE(agent_.preparer.NeedsRepair(*agent_.journal->Read()));
  world_.Remove("lab", "claim-u2");
  const std::vector<device::nvidia::Gpu> gpus = std::exchange(world_.gpus, {});
  EXPECT_THAT(agent_.preparer.Repair(Short()), IsStatus(Code::kNotFound, HasSubstr("it has no GPU")));
  EXPECT_TRUE(agent_.cdi.Has("u1")) << "a GPU that is not seen may be in use";
  world_.gpus = gpus;
  ASSERT_OK(agent_.preparer.Repair(Short()));
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1")));
  EXPECT_THAT(files_.ReadFile(CdiPath("u1"), 1 << 20), IsOkAndHolds(spec));
  EXPECT_FALSE(agent_.cdi.Has("u2"));
  EXPECT_FALSE(agent_.preparer.NeedsRepair(*agent_.journal->Read()));
  EXPECT_THAT(Prepare(late), IsStatus(Code::kExhausted, HasSubstr("18432")));
}

TEST_F(PrepareTest, ManyClaimsAtOnceNeverOvercommit) {
  std::vector<std::thread> threads;
  std::atomic<int> prepared = 0;
  for (int t = 0; t < 12; ++t) {
    const ClaimRef claim = Claim(StrCat("u", t), "6Gi");
    threads.emplace_back([&, claim] { prepared += agent_.preparer.Prepare(claim, Short()).ok(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(prepared, 4);
  EXPECT_EQ(agent_.journal->Read()->size(), 4u);
  EXPECT_EQ(agent_.cdi.Uids()->size(), 4u);
}

}  // namespace
}  // namespace allot::node
