// The agent with two drivers at once.
#include "node/agent_fixture.h"

namespace allot::node {
namespace {

using http::test::Eventually;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class AgentTest : public AgentFixture {};

TEST_F(AgentTest, EachDriverPublishesRegistersAndReportsHealth) {
  Start();
  EXPECT_TRUE(AwaitPublished(kNvidia, {"gpu-0"}));
  EXPECT_TRUE(AwaitPublished(kMade, {"card-1", "card-2"}));
  Register(kNvidia);
  ExpectState(Code::kUnavailable, "driver made.example.com: kubelet has not registered made.example.com yet");
  Register(kMade);
  EXPECT_TRUE(AwaitReady());
  EXPECT_EQ(HealthOf(kNvidia), "gpu-0=1 ");
  EXPECT_EQ(HealthOf(kMade), "card-1=1 card-2=1 ");
  process_->made.Plug({"card-1"});
  EXPECT_TRUE(AwaitPublished(kMade, {"card-1"}));
  EXPECT_THAT(Published(kNvidia), ElementsAre("gpu-0"));
}

TEST_F(AgentTest, EachDriverPreparesItsPartOfAClaimAndKeepsItAcrossARestart) {
  Start();
  ASSERT_TRUE(AwaitPublished(kNvidia, {"gpu-0"}) && AwaitPublished(kMade, {"card-1", "card-2"}));
  const ClaimRef both = Allocate("both", {{kNvidia, "gpu-0"}, {kMade, "card-1"}});
  EXPECT_THAT(Prepare(kNvidia, both), IsOkAndHolds(ElementsAre(StrCat("k8s.gpu.nvidia.com/claim=", both.uid, "-gpu-0"))));
  EXPECT_THAT(Made(), IsEmpty());
  EXPECT_THAT(Prepare(kMade, both), IsOkAndHolds(ElementsAre(StrCat("k8s.made.example.com/claim=", both.uid, "-card-1"))));
  EXPECT_THAT(Made(), UnorderedElementsAre("card-1.serial-1", "mode-card"));
  EXPECT_THAT(Read(JournalOf(kNvidia)), AllOf(HasSubstr(both.uid), Not(HasSubstr("card-1"))));
  EXPECT_THAT(Read(JournalOf(kMade)), AllOf(HasSubstr(both.uid), Not(HasSubstr("gpu-0"))));
  Stop();
  EXPECT_FALSE(files_.Exists(SocketOf(kNvidia)) || files_.Exists(SocketOf(kMade)));

  Start();
  ASSERT_TRUE(AwaitServing(kNvidia) && AwaitServing(kMade));
  EXPECT_THAT(Prepare(kMade, both), IsOkAndHolds(ElementsAre(HasSubstr("card-1"))));
  EXPECT_THAT(Read(SpecOf(kMade, both)), HasSubstr("SERIAL=serial-1"));
  ASSERT_OK(Unprepare(kMade, both));
  EXPECT_THAT(Made(), IsEmpty());
  EXPECT_FALSE(files_.Exists(SpecOf(kMade, both)));
  EXPECT_TRUE(files_.Exists(SpecOf(kNvidia, both)));
  ASSERT_OK(Unprepare(kNvidia, both));
  EXPECT_FALSE(files_.Exists(SpecOf(kNvidia, both)));
}

TEST_F(AgentTest, ADriverWithoutHardwareDoesNotDisturbTheOther) {
  machine_.RemoveLibrary();
  Start();
  ASSERT_TRUE(AwaitPublished(kMade, {"card-1", "card-2"}));
  EXPECT_OK(Prepare(kMade, Allocate("card", {{kMade, "card-1"}})));
  EXPECT_THAT(Prepare(kNvidia, Allocate("gpu", {{kNvidia, "gpu-0"}})), IsStatus(Code::kUnavailable, HasSubstr("libnvidia-ml.so.1")));
  Register(kNvidia);
  Register(kMade);
  EXPECT_TRUE(AwaitReady()) << process_->agent.state().ToString();
}

TEST_F(AgentTest, AFaultOfOneDriverDoesNotDisturbTheOther) {
  Start();
  ASSERT_TRUE(AwaitPublished(kNvidia, {"gpu-0"}) && AwaitPublished(kMade, {"card-1", "card-2"}));
  Register(kNvidia);
  Register(kMade);
  ASSERT_TRUE(AwaitReady());
  const ClaimRef card = Allocate("card", {{kMade, "card-1"}}), gpu = Allocate("gpu", {{kNvidia, "gpu-0"}});
  ASSERT_OK(Prepare(kMade, card));
  process_->made.Break("the bus is down");
  EXPECT_THAT(Prepare(kMade, Allocate("other", {{kMade, "card-2"}})), IsStatus(Code::kUnavailable, HasSubstr("the bus is down")));
  ExpectState(Code::kUnavailable, "driver made.example.com: the bus is down");
  EXPECT_TRUE(Eventually([&] { return HealthOf(kMade) == "card-1=2 card-2=2 "; }));
  process_->made.Stick("device");
  EXPECT_THAT(Unprepare(kMade, card), IsStatus(Code::kUnavailable, HasSubstr("device card-1 is busy")));
  EXPECT_EQ(HealthOf(kNvidia), "gpu-0=1 ");
  EXPECT_OK(Prepare(kNvidia, gpu));
  EXPECT_OK(Unprepare(kNvidia, gpu));
}

// Bug: no event was recorded until every driver had looked at its hardware.
TEST_F(AgentTest, ADriverThatWaitsForItsHardwareDoesNotHideTheFaultOfAnother) {
  hardware_.asleep = true;
  Start();
  ASSERT_TRUE(AwaitPublished(kNvidia, {"gpu-0"}));
  EXPECT_TRUE(AwaitEvent("DevicesNotOffered: driver gpu.nvidia.com: kubelet has not registered gpu.nvidia.com yet"));
}

// Bug: when the only driver that worked ended, the agent waited for the other one and watched over nothing any more.
TEST_F(AgentTest, ADriverThatEndsLeavesTheAgentAtWorkWhileAnotherTriesAgain) {
  std::filesystem::create_directories(folder_ + "/plugins");
  std::ofstream(StrCat(folder_, "/plugins/", kMade)) << "not a folder";
  std::filesystem::create_directories(folder_ + "/registry");
  std::ofstream(StrCat(folder_, "/registry/", kNvidia, "-reg.sock")) << "not a socket";
  Start();
  EXPECT_TRUE(AwaitEvent("DevicesNotOffered: driver gpu.nvidia.com: listen on "));
  EXPECT_THAT(Logged(), AllOf(HasSubstr("this driver does not work driver=made.example.com"),
                              HasSubstr("this driver does not work driver=gpu.nvidia.com")));
}

TEST_F(AgentTest, ADriverThatCannotOpenItsJournalLeavesTheOtherAtWork) {
  std::filesystem::create_directories(StrCat(folder_, "/plugins/", kMade));
  std::ofstream(JournalOf(kMade)) << "allot-journal 99\n";
  Start();
  ASSERT_TRUE(AwaitPublished(kNvidia, {"gpu-0"}));
  EXPECT_OK(Prepare(kNvidia, Allocate("gpu", {{kNvidia, "gpu-0"}})));
  Register(kNvidia);
  EXPECT_TRUE(Eventually([&] { return process_->agent.state().code() == Code::kInvalid; }));
  EXPECT_THAT(process_->agent.state(), IsStatus(Code::kInvalid, HasSubstr("driver made.example.com: ")));
  EXPECT_THAT(Logged(), HasSubstr("this driver does not work driver=made.example.com"));
  EXPECT_EQ(Read(JournalOf(kMade)), "allot-journal 99\n");
}

}  // namespace
}  // namespace allot::node
