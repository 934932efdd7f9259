// Every file operation of prepare and unprepare with a failure, through a whole agent without kubelet, as `allot up` has one. Crashes are
// played in prepare_fault_test.cc.
#include "node/agent_fixture.h"
#include "node/prepare/fault_walk.h"

namespace allot::node {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class AgentFaultTest : public AgentFixture, public FaultWalk {
 protected:
  struct Whole {
    Whole(AgentFaultTest& test, FileSystem& files)
        : made(files, test.hardware_),
          agent(OptionsOf(test), {{made, test.folder_ + "/state"}}, *test.client_, files, test.clock_, test.random_, test.log_) {
      CHECK(agent.Open().ok());
    }
    static AgentOptions OptionsOf(const AgentFaultTest& test) {
      AgentOptions options;
      options.node_name = "n1";
      options.kubelet = false;
      options.cdi_folder = test.folder_ + "/cdi";
      return options;
    }

    MadeDeviceDriver made;
    Agent agent;
  };

  void SetUp() override { claim_ = Allocate("claim", {{kMade, "card-1"}, {kMade, "card-2"}}); }

  std::span<const Fault> faults() const override { return kFailures; }
  // The API takes its time.
  Patience Short() const override { return Patient(); }
  ClaimRef claim() const override { return claim_; }
  void Clear() override {
    for (const std::string name : {"/state", "/cdi", "/hardware"}) std::filesystem::remove_all(folder_ + name);
  }
  std::shared_ptr<Preparer> Start(FileSystem& files) override {
    const auto whole = std::make_shared<Whole>(*this, files);
    return {whole, &whole->agent.preparer(kMade)};
  }
  Holdings Held() { return *(*Journal::Open(files_, folder_ + "/state"))->Read(); }
  bool IsHeld() override { return Held().contains(claim_.uid); }
  bool HasSpec() override { return files_.Exists(SpecOf(kMade, claim_)); }
  void ExpectMade(bool held, const std::string& where) override {
    if (!held) {
      EXPECT_THAT(Made(), IsEmpty()) << where;
      return;
    }
    std::map<std::string, std::string> records;
    const Holdings holdings = Held();
    for (const Step& step : holdings.at(claim_.uid)->steps) records[step.device] = step.record;
    EXPECT_THAT(Made(), UnorderedElementsAre("card-1." + records["card-1"], "card-2." + records["card-2"], "mode-card")) << where;
  }

  ClaimRef claim_;
};

TEST_F(AgentFaultTest, PrepareSurvivesAFailureAtEveryStep) { WalkPrepare(16); }
TEST_F(AgentFaultTest, UnprepareSurvivesAFailureAtEveryStep) { WalkUnprepare(9); }

}  // namespace
}  // namespace allot::node
