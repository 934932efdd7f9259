// Every file operation of prepare and unprepare, with a failure and with a crash.
#include "node/driver_side.h"
#include "node/prepare/fault_walk.h"
#include "node/prepare/made_device_driver.h"
#include "node/prepare/prepare_fixture.h"

namespace allot::node {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The time slices of GPUs in files, which outlive a process.
class TimeSliceFiles final : public nvidia::TimeSlice {
 public:
  explicit TimeSliceFiles(std::string folder) : folder_(std::move(folder)) {}

  Status Set(const std::string& uuid, const std::string& interval, const Patience&) override {
    return files_.ReplaceFile(StrCat(folder_, "/", uuid), interval);
  }
  std::string Get(const std::string& uuid) const {
    const Result<std::string> interval = files_.ReadFile(StrCat(folder_, "/", uuid), 1 << 10);
    return interval.ok() ? *interval : "Default";
  }

 private:
  PosixFileSystem files_;
  const std::string folder_;
};

// A claim without settings, which has no steps.
class PrepareFaultTest : public PrepareFixture, public FaultWalk {
 protected:
  void SetUp() override { world_.Put("lab", "claim", "u1", Allocated(ResultJson("gpu", "gpu-0", "24Gi", "s"))); }

  ClaimRef claim() const override { return {"lab", "claim", "u1"}; }
  void Clear() override { Reset(); }
  std::shared_ptr<Preparer> Start(FileSystem& files) override {
    const auto agent = std::make_shared<Agent>(*this, files, time_slices_);
    return {agent, &agent->preparer};
  }
  bool IsHeld() override {
    const std::unique_ptr<Journal> journal = *Journal::Open(files_, folder_ + "/state");
    EXPECT_THAT(journal->TakeDamage(), IsEmpty());
    return journal->Read()->contains("u1");
  }
  bool HasSpec() override { return files_.Exists(CdiPath("u1")); }
  void ExpectMade(bool, const std::string& where) override { EXPECT_EQ(time_slices_.Get(Rtx3090().uuid), "Default") << where; }

  TimeSliceFiles time_slices_{folder_ + "/state"};
};

TEST_F(PrepareFaultTest, PrepareSurvivesAFaultAtEveryStep) { WalkPrepare(5); }
TEST_F(PrepareFaultTest, UnprepareSurvivesAFaultAtEveryStep) { WalkUnprepare(5); }

// A claim that sets the time slice of its GPU.
class TimeSliceFaultTest : public PrepareFaultTest {
 protected:
  void SetUp() override {
    const std::string config = R"({"source":"FromClaim","opaque":{"driver":"gpu.nvidia.com","parameters":{
      "apiVersion":"resource.nvidia.com/v1beta1","kind":"GpuConfig","sharing":{"strategy":"TimeSlicing","timeSlicingConfig":{"interval":"Long"}}}}})";
    world_.Put("lab", "claim", "u1", Allocated(ResultJson("gpu", "gpu-0", "24Gi", "s"), config));
  }
  void ExpectMade(bool held, const std::string& where) override {
    EXPECT_EQ(time_slices_.Get(Rtx3090().uuid), held ? "Long" : "Default") << where;
  }
};

TEST_F(TimeSliceFaultTest, PrepareSurvivesAFaultAtEveryStep) { WalkPrepare(5); }
// Bug: the GPU kept the time slice of a claim that was gone, if the journal could not be read while the claim was unprepared.
TEST_F(TimeSliceFaultTest, UnprepareSurvivesAFaultAtEveryStep) { WalkUnprepare(9); }

// The same faults, with a driver that has to make its devices, in the part of the agent that serves it. The driver's files fail too.
class MadeDeviceFaultTest : public PrepareFixture, public FaultWalk {
 protected:
  struct Serving {
    Serving(MadeDeviceFaultTest& test, FileSystem& files)
        : driver(files, test.hardware_),
          side(driver, test.folder_ + "/state",
               {test.options_, *test.client_, test.world_, files, test.clock_, test.random_, test.agent_log_}) {
      CHECK(side.Open().ok());
    }

    MadeDeviceDriver driver;
    DriverSide side;
  };

  MadeDeviceFaultTest() {
    options_.node_name = "n1";
    options_.kubelet = false;
    options_.cdi_folder = folder_ + "/cdi";
  }
  void SetUp() override {
    const std::string results = StrCat(ResultJson("a", "card-1", "1Gi", "", MadeDeviceDriver::kName), ",",
                                       ResultJson("b", "card-2", "1Gi", "", MadeDeviceDriver::kName));
    world_.Put("lab", "claim", "u1", Allocated(results));
  }

  ClaimRef claim() const override { return {"lab", "claim", "u1"}; }
  void Clear() override { Reset(); }
  std::shared_ptr<Preparer> Start(FileSystem& files) override {
    const auto serving = std::make_shared<Serving>(*this, files);
    return {serving, &serving->side.preparer()};
  }
  bool IsHeld() override {
    const std::unique_ptr<Journal> journal = *Journal::Open(files_, folder_ + "/state");
    EXPECT_THAT(journal->TakeDamage(), IsEmpty());
    return journal->Read()->contains("u1");
  }
  bool HasSpec() override { return files_.Exists(folder_ + "/cdi/k8s.made.example.com-claim_u1.yaml"); }
  void ExpectMade(bool held, const std::string& where) override {
    const Result<std::vector<std::string>> made = files_.List(hardware_.folder);
    const std::vector<std::string> names = made.ok() ? *made : std::vector<std::string>();
    if (held)
      EXPECT_THAT(names, UnorderedElementsAre(StrCat("card-1.", Record("card-1")), StrCat("card-2.", Record("card-2")), "mode-card"))
          << where;
    else
      EXPECT_THAT(names, IsEmpty()) << where;
  }
  // What the journal says about the device of the claim.
  std::string Record(std::string_view device) {
    const Holdings held = *(*Journal::Open(files_, folder_ + "/state"))->Read();
    for (const Step& step : held.at("u1")->steps) {
      if (step.kind == "device" && step.device == device) return step.record;
    }
    return "no step";
  }

  AgentOptions options_;
  const std::unique_ptr<kube::Client> client_ = *kube::Client::Make({.server = "http://127.0.0.1:1"});  // Open and the calls ask it nothing
  SystemRandom random_;
  ::allot::Log agent_log_{clock_, ::allot::Log::Format::kText, [](std::string_view) {}};
  MadeDeviceDriver::Hardware hardware_{.folder = folder_ + "/hardware"};
};

TEST_F(MadeDeviceFaultTest, PrepareSurvivesAFaultAtEveryStep) { WalkPrepare(16); }
TEST_F(MadeDeviceFaultTest, UnprepareSurvivesAFaultAtEveryStep) { WalkUnprepare(9); }
// Bug: a step that was made while the journal could not be written was never journalled, though the next try succeeded.
TEST_F(MadeDeviceFaultTest, PrepareThatTriesAgainJournalsEveryStep) { WalkPatientPrepare(12); }

}  // namespace
}  // namespace allot::node
