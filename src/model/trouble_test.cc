#include "model/trouble.h"

#include <gtest/gtest.h>

namespace allot::model {
namespace {

TEST(Trouble, IsFoundByTheCodeThatEndsAMessage) {
  for (const Trouble trouble : {Trouble::kNoDriver, Trouble::kOtherDriver, Trouble::kDevicePlugin, Trouble::kNoDeviceNode,
                                Trouble::kNotFree, Trouble::kNodeConfig}) {
    ASSERT_NE(CodeOf(trouble), "");
    EXPECT_EQ(CodedTrouble("claim lab/a: any words " + CodeOf(trouble)), trouble);
  }
}

TEST(Trouble, WordsAreNoCode) {
  EXPECT_EQ(CodedTrouble("NotFree"), Trouble::kOther);
  EXPECT_EQ(CodedTrouble(""), Trouble::kOther);
  EXPECT_EQ(CodeOf(Trouble::kForbidden), "");
}

}  // namespace
}  // namespace allot::model
