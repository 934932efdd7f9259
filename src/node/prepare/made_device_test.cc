// A driver's steps: devices that have to be made before a container can use them.
#include "node/prepare/made_device_driver.h"
#include "node/prepare/prepare_fixture.h"

namespace allot::node {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

class MadeDeviceTest : public PrepareFixture {
 protected:
  ClaimRef Claim(const std::string& uid, std::string_view device) {
    world_.Put("lab", uid, uid, Allocated(ResultJson("part", device, "1Gi", "", MadeDeviceDriver::kName)));
    return {"lab", uid, uid};
  }
  std::string SpecOf(const std::string& uid) {
    return *files_.ReadFile(StrCat(folder_, "/cdi/k8s.made.example.com-claim_", uid, ".yaml"), 1 << 20);
  }
  std::vector<std::string> Made() {
    const Result<std::vector<std::string>> names = files_.List(hardware_.folder);
    return names.ok() ? *names : std::vector<std::string>();
  }

  MadeDeviceDriver::Hardware hardware_{.folder = folder_ + "/hardware"};
  MadeDeviceDriver driver_{files_, hardware_};
  Process agent_{*this, files_, driver_};
};

TEST_F(MadeDeviceTest, ContainersGetWhatWasMade) {
  ASSERT_OK_AND_ASSIGN(const auto devices, agent_.preparer.Prepare(Claim("u1", "card-1"), Short()));
  EXPECT_THAT(devices[0].cdi_ids, ElementsAre("k8s.made.example.com/claim=u1-card-1"));
  EXPECT_THAT(SpecOf("u1"), HasSubstr("SERIAL=serial-1"));
  EXPECT_THAT(agent_.journal->Read()->at("u1")->steps, ElementsAre(Step{"mode", "card", ""}, Step{"device", "card-1", "serial-1"}));
}

TEST_F(MadeDeviceTest, StepThatFailsKeepsTheClaimAndIsMadeWhenItCan) {
  hardware_.refuses = "device";
  const ClaimRef claim = Claim("u1", "card-1");
  EXPECT_THAT(agent_.preparer.Prepare(claim, Short()), IsStatus(Code::kInvalid, HasSubstr("claim lab/u1: device card-1 cannot be made")));
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1")));
  EXPECT_FALSE(agent_.cdi.Has("u1"));
  hardware_.refuses = "";
  ASSERT_OK(agent_.preparer.Prepare(claim, Short()));
  EXPECT_THAT(SpecOf("u1"), HasSubstr("SERIAL=serial-1"));
}

TEST_F(MadeDeviceTest, UnprepareOfAFailedClaimUnmakesWhatWasMade) {
  hardware_.refuses = "device";
  const ClaimRef claim = Claim("u1", "card-1");
  EXPECT_FALSE(agent_.preparer.Prepare(claim, Short()).ok());
  EXPECT_THAT(Made(), ElementsAre("mode-card"));
  ASSERT_OK(agent_.preparer.Unprepare(claim, Short()));
  EXPECT_THAT(Made(), IsEmpty());
  EXPECT_THAT(*agent_.journal->Read(), IsEmpty());
}

TEST_F(MadeDeviceTest, ClaimIsHeldUntilItsStepsAreUnmade) {
  const ClaimRef claim = Claim("u1", "card-1");
  ASSERT_OK(agent_.preparer.Prepare(claim, Short()));
  hardware_.stuck = "device";
  EXPECT_THAT(agent_.preparer.Unprepare(claim, Short()), IsStatus(Code::kUnavailable, HasSubstr("device card-1 is busy")));
  EXPECT_THAT(*agent_.journal->Read(), ElementsAre(Key("u1")));
  hardware_.stuck = "";
  ASSERT_OK(agent_.preparer.Unprepare(claim, Short()));
  EXPECT_THAT(Made(), IsEmpty());
}

// Bug: Repair made the devices again for a Pod that was gone.
TEST_F(MadeDeviceTest, InterruptedUnprepareIsFinishedByRepairAndNothingIsMadeAgain) {
  const ClaimRef claim = Claim("u1", "card-1");
  ASSERT_OK(agent_.preparer.Prepare(claim, Short()));
  hardware_.stuck = "mode";
  EXPECT_FALSE(agent_.preparer.Unprepare(claim, Short()).ok());
  EXPECT_THAT(Made(), ElementsAre("mode-card"));
  EXPECT_TRUE(agent_.preparer.NeedsRepair(*agent_.journal->Read()));
  EXPECT_THAT(agent_.preparer.Repair(Short()), IsStatus(Code::kUnavailable, HasSubstr("claim lab/u1: mode card is busy")));
  EXPECT_THAT(Made(), ElementsAre("mode-card"));
  EXPECT_FALSE(agent_.cdi.Has("u1"));
  hardware_.stuck = "";
  ASSERT_OK(Process(*this, files_, driver_).preparer.Repair(Short())) << "by the next process too";
  EXPECT_THAT(Made(), IsEmpty());
  EXPECT_THAT(*agent_.journal->Read(), IsEmpty());
  EXPECT_FALSE(agent_.preparer.NeedsRepair(*agent_.journal->Read()));
}

TEST_F(MadeDeviceTest, PrepareFinishesAnInterruptedUnprepareFirst) {
  const ClaimRef claim = Claim("u1", "card-1");
  ASSERT_OK(agent_.preparer.Prepare(claim, Short()));
  hardware_.stuck = "device";
  EXPECT_FALSE(agent_.preparer.Unprepare(claim, Short()).ok());
  EXPECT_THAT(agent_.preparer.Prepare(claim, Short()), IsStatus(Code::kUnavailable, HasSubstr("device card-1 is busy")));
  hardware_.stuck = "";
  ASSERT_OK(agent_.preparer.Prepare(claim, Short()));
  EXPECT_THAT(SpecOf("u1"), HasSubstr("SERIAL=serial-2"));
  EXPECT_FALSE(agent_.journal->Read()->at("u1")->ending);
}

// Bug: each of two claims that ended at the same time left the mode of the card to the other one.
TEST_F(MadeDeviceTest, ClaimsThatEndAtTheSameTimeLeaveNoSetting) {
  const ClaimRef first = Claim("u1", "card-1"), second = Claim("u2", "card-2");
  ASSERT_OK(agent_.preparer.Prepare(first, Short()));
  ASSERT_OK(agent_.preparer.Prepare(second, Short()));
  hardware_.unmade = [&] {
    // The steps of u1 are unmade, and its holding is still in the journal.
    ASSERT_OK(agent_.preparer.Unprepare(second, Short()));
  };
  ASSERT_OK(agent_.preparer.Unprepare(first, Short()));
  EXPECT_THAT(Made(), IsEmpty());
}

TEST_F(MadeDeviceTest, StepsAreUnmadeInReverseAndASharedSettingStaysForTheOthers) {
  ASSERT_OK(agent_.preparer.Prepare(Claim("u1", "card-1"), Short()));
  ASSERT_OK(agent_.preparer.Prepare(Claim("u2", "card-2"), Short()));
  hardware_.log.clear();
  ASSERT_OK(agent_.preparer.Unprepare({"lab", "u1", "u1"}, Short()));
  EXPECT_THAT(hardware_.log, ElementsAre("unmake device card-1", "unmake mode card"));
  EXPECT_THAT(Made(), Contains("mode-card"));
  ASSERT_OK(agent_.preparer.Unprepare({"lab", "u2", "u2"}, Short()));
  EXPECT_THAT(Made(), IsEmpty());
}

TEST_F(MadeDeviceTest, DevicesAreMadeAgainAfterAReboot) {
  ASSERT_OK(agent_.preparer.Prepare(Claim("u1", "card-1"), Short()));
  std::filesystem::remove_all(hardware_.folder);
  ASSERT_OK(agent_.preparer.Repair(Short()));
  EXPECT_THAT(SpecOf("u1"), HasSubstr("SERIAL=serial-2"));
  EXPECT_EQ(agent_.journal->Read()->at("u1")->steps[1].record, "serial-2");
}

// Bug: what was made for a claim whose journal was lost stayed for ever.
TEST_F(MadeDeviceTest, LostJournalIsRestoredWithItsRecordsAndClaimsThatAreGoneAreUnmade) {
  ASSERT_OK(agent_.preparer.Prepare(Claim("u1", "card-1"), Short()));
  ASSERT_OK(agent_.preparer.Prepare(Claim("u2", "card-2"), Short()));
  const Holding held = *agent_.journal->Read()->at("u1");
  std::filesystem::remove(folder_ + "/state/journal");
  world_.Remove("lab", "u2");
  hardware_.log.clear();
  ASSERT_OK(agent_.preparer.Repair(Short()));
  EXPECT_EQ(*agent_.journal->Read()->at("u1"), held);
  EXPECT_THAT(hardware_.log, Contains("unmake device card-2"));
  EXPECT_THAT(Made(), ElementsAre("card-1.serial-1", "mode-card"));
}

TEST_F(MadeDeviceTest, DevicesOfAClaimThatIsGoneAreUnmadeByTheSweep) {
  ASSERT_OK(agent_.preparer.Prepare(Claim("u1", "card-1"), Short()));
  world_.Remove("lab", "u1");
  for (int i = 0; i < 2; ++i) ASSERT_OK(agent_.preparer.LetGo(std::chrono::seconds(0), Short()));
  EXPECT_THAT(Made(), IsEmpty());
}

}  // namespace
}  // namespace allot::node
