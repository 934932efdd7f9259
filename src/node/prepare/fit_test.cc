#include "node/prepare/fit.h"

#include "base/test_util.h"
#include "node/nvidia/claims.h"
#include "node/nvidia/share_state.h"

namespace allot::node {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

Share On(std::string uuid, int64_t mib, int64_t whole = 24576) {
  Share share;
  share.device = "gpu-0";
  share.uuid = share.parent = std::move(uuid);
  share.memory_mib = mib;
  share.whole_mib = whole;
  return share;
}

std::shared_ptr<const Holding> Held(const std::string& uid, std::vector<Share> shares) {
  return std::make_shared<const Holding>(Holding{uid, "lab", uid, std::move(shares)});
}

Holdings Others(std::vector<std::shared_ptr<const Holding>> all) {
  Holdings holdings;
  for (auto& one : all) holdings.emplace(one->uid, one);
  return holdings;
}

class FitTest : public testing::Test {
 protected:
  Status Check(const std::vector<Share>& wanted, const Holdings& others) {
    return CheckFits(*Held("new", wanted), others, driver_, in_the_way_);
  }
  static Share With(nvidia::Sharing sharing) {
    Share share = On("G", 1);
    share.state = nvidia::ShareState{false, std::move(sharing)}.ToJson();
    return share;
  }

  PosixFileSystem files_;
  nvidia::ToolkitSpec toolkit_{files_, {}};
  nvidia::SmiTimeSlice time_slice_{nvidia::DriverRoot()};
  nvidia::Claims driver_{{files_, toolkit_, time_slice_, [] { return std::vector<device::nvidia::Gpu>(); }, {}}};
  std::vector<std::shared_ptr<const Holding>> in_the_way_;
};

TEST_F(FitTest, FourSharesFillTheCardAndTheFifthIsRefusedWithTheHolders) {
  std::vector<std::shared_ptr<const Holding>> held;
  for (const std::string name : {"a", "b", "c"}) held.push_back(Held(name, {On("G", 6144)}));
  EXPECT_OK(Check({On("G", 6144)}, Others(held)));
  held.push_back(Held("d", {On("G", 6144)}));
  EXPECT_THAT(Check({On("G", 1)}, Others(held)),
              IsStatus(Code::kExhausted, AllOf(HasSubstr("has 24576 MiB and 0 MiB free, and the claim wants 1 MiB"),
                                               HasSubstr("lab/a holds 6144 MiB"), HasSubstr("lab/d holds 6144 MiB"))));
  EXPECT_THAT(in_the_way_, SizeIs(4));
  EXPECT_OK(Check({On("H", 24576)}, Others(held)));
  EXPECT_THAT(in_the_way_, SizeIs(0));
}

TEST_F(FitTest, SeveralSharesOfOneClaimAreAddedUp) {
  EXPECT_OK(Check({On("G", 12288), On("G", 12288)}, {}));
  EXPECT_THAT(Check({On("G", 12288), On("G", 12289)}, {}), IsStatus(Code::kExhausted, HasSubstr("no other claim holds any of it")));
}

TEST_F(FitTest, AdminAccessTakesNothing) {
  Share admin = On("G", 24576);
  admin.admin = true;
  EXPECT_OK(Check({On("G", 24576)}, Others({Held("a", {admin})})));
  EXPECT_OK(Check({admin}, Others({Held("a", {On("G", 24576)})})));
}

TEST_F(FitTest, DeviceThatDoesNotTellItsMemoryHasOneHolder) {
  EXPECT_OK(Check({On("G", 0, 0)}, {}));
  EXPECT_THAT(Check({On("G", 0, 0)}, Others({Held("a", {On("G", 0, 0)})})), IsStatus(Code::kExhausted, HasSubstr("one holder at a time")));
}

// Bug: a share that was taken while the GPU's memory was unknown counted as nothing once the memory was known.
TEST_F(FitTest, ShareOfUnknownSizeIsTheWholeWhenTheSizeIsKnown) {
  EXPECT_THAT(Check({On("G", 1)}, Others({Held("a", {On("G", 0, 0)})})), IsStatus(Code::kExhausted, HasSubstr("and 0 MiB free")));
}

TEST_F(FitTest, DeviceIsHandedOutWholeOrInParts) {
  Share part = On("MIG-1", 4096, 4096);
  part.parent = "G";
  EXPECT_THAT(Check({On("G", 24576)}, Others({Held("a", {part})})),
              IsStatus(Code::kExhausted, AllOf(HasSubstr("claim lab/a holds a part of gpu-0"), EndsWith(" [NotFree]"))));
  EXPECT_THAT(in_the_way_, SizeIs(1));
  EXPECT_THAT(Check({part}, Others({Held("a", {On("G", 1)})})), IsStatus(Code::kExhausted, EndsWith("lab/a holds whole [NotFree]")));
  EXPECT_OK(Check({part}, Others({Held("a", {On("H", 1)})})));
}

TEST_F(FitTest, SettingsThatDifferAreRefusedWithTheNeighbour) {
  const Share slow = With({"TimeSlicing", "Long", 0, 0}), fast = With({"TimeSlicing", "Short", 0, 0}), mps = With({"MPS", "", 0, 0});
  EXPECT_OK(Check({slow}, Others({Held("a", {slow})})));
  EXPECT_OK(Check({slow}, Others({Held("a", {On("G", 1)})})));
  EXPECT_THAT(Check({fast}, Others({Held("a", {slow})})),
              IsStatus(Code::kUnavailable, AllOf(HasSubstr("lab/a"), HasSubstr("interval Long, the other Short"))));
  EXPECT_THAT(Check({mps}, Others({Held("a", {slow})})), IsStatus(Code::kUnavailable, HasSubstr("TimeSlicing, the other MPS")));
  EXPECT_THAT(Check({On("G", 1)}, Others({Held("a", {mps})})), IsStatus(Code::kUnavailable, HasSubstr("MPS, the other does not")));
}

}  // namespace
}  // namespace allot::node
