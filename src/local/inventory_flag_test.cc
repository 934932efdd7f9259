#include "local/inventory_flag.h"

#include "base/test_util.h"

namespace allot::local {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

NodeGpus Simulated(std::vector<std::string> models) { return {false, std::move(models)}; }

TEST(InventoryFlag, WithoutItTheMachinesGpusAreOnOneNode) {
  EXPECT_THAT(ReadGpus("", 0), IsOkAndHolds(ElementsAre(NodeGpus{true, {}})));
  EXPECT_THAT(ReadGpus("real", 1), IsOkAndHolds(ElementsAre(NodeGpus{true, {}})));
}

TEST(InventoryFlag, ModelsWithCountsAreTheGpusOfEveryNode) {
  EXPECT_THAT(ReadGpus("rtx3090:2,rtx3060", 0), IsOkAndHolds(ElementsAre(Simulated({"rtx3090", "rtx3090", "rtx3060"}))));
  EXPECT_THAT(ReadGpus("l4", 3), IsOkAndHolds(ElementsAre(Simulated({"l4"}), Simulated({"l4"}), Simulated({"l4"}))));
  EXPECT_THAT(ReadGpus("none", 2), IsOkAndHolds(ElementsAre(Simulated({}), Simulated({}))));
}

TEST(InventoryFlag, SlashesGiveEachNodeItsOwn) {
  const auto each = ElementsAre(Simulated({"rtx3090", "rtx3090"}), Simulated({"rtx3060"}), Simulated({}));
  EXPECT_THAT(ReadGpus("rtx3090:2/rtx3060/none", 0), IsOkAndHolds(each));
  EXPECT_THAT(ReadGpus("rtx3090:2 / rtx3060 / none", 3), IsOkAndHolds(each));
  EXPECT_THAT(ReadGpus("real/l4", 0), IsOkAndHolds(ElementsAre(NodeGpus{true, {}}, Simulated({"l4"}))));
  EXPECT_THAT(ReadGpus("l4/l4", 3), IsStatus(Code::kInvalid, HasSubstr("2 lists for 3 nodes")));
}

TEST(InventoryFlag, NoRealGpuIsOnTwoNodes) {
  EXPECT_THAT(ReadGpus("", 2), IsStatus(Code::kInvalid, AllOf(HasSubstr("--nodes 2"), HasSubstr("--gpus rtx3090:2"))));
  EXPECT_THAT(ReadGpus("real/real", 0), IsStatus(Code::kInvalid, HasSubstr("promised twice")));
}

TEST(InventoryFlag, IntelIsRefusedByName) {
  for (const char* name : {"flex170", "max1100", "arc-a770"}) {
    EXPECT_THAT(ReadGpus(name, 0), IsStatus(Code::kUnsupported, AllOf(HasSubstr(name), HasSubstr("Intel GPUs are not supported yet"))))
        << name;
  }
}

TEST(InventoryFlag, ErrorsListTheValidValues) {
  EXPECT_THAT(ReadGpus("rtx4090", 0),
              IsStatus(Code::kInvalid, AllOf(HasSubstr("\"rtx4090\""), HasSubstr("a100, h100, l4, rtx3060, rtx3090"))));
  for (const char* text : {"l4:0", "l4:x", "l4:", "l4:-1", "l4:65", "l4:99999999999"}) {
    EXPECT_THAT(ReadGpus(text, 0), IsStatus(Code::kInvalid, HasSubstr("count from 1 to 64"))) << text;
  }
  EXPECT_THAT(ReadGpus("l4:40,a100:40", 0), IsStatus(Code::kInvalid, HasSubstr("80 on one node")));
  EXPECT_THAT(ReadGpus("l4,,l4", 0), IsStatus(Code::kInvalid, HasSubstr("unknown model")));
  for (const char* text : {"real,rtx3090", "rtx3090,none", "real:2"}) {
    EXPECT_THAT(ReadGpus(text, 0), IsStatus(Code::kInvalid, AllOf(HasSubstr("cannot be combined with others"), HasSubstr("real/rtx3090"))))
        << text;
  }
  EXPECT_THAT(ReadGpus("l4", 65), IsStatus(Code::kInvalid, HasSubstr("--nodes")));
}

}  // namespace
}  // namespace allot::local
