#include "base/status.h"

#include <memory>

#include "base/test_util.h"

namespace allot {
namespace {

using testing::Eq;
using testing::HasSubstr;
using testing::Not;
using testing::Pointee;

Status Fails() { return Invalid("line ", 3, ": expected ','"); }
Status PassesOn() {
  TRY(Status());
  TRY(Fails().Context("read slice.json"));
  return Exhausted("not reached");
}
Result<int> Half(int number) {
  if (number % 2 != 0) return Invalid(number, " is odd");
  return number / 2;
}
Result<int> Quarter(int number) {
  ASSIGN_OR_RETURN(const int half, Half(number));
  ASSIGN_OR_RETURN(const int quarter, Half(half).Context("half of ", number));
  return quarter;
}

TEST(Status, IsOkUnlessToldOtherwise) {
  EXPECT_OK(Status());
  EXPECT_EQ(Status().ToString(), "ok");
  EXPECT_OK(Status().Context("unused"));
}

TEST(Status, CarriesCodeAndMessage) {
  EXPECT_EQ(Fails().code(), Code::kInvalid);
  EXPECT_EQ(Fails().ToString(), "invalid: line 3: expected ','");
}

TEST(Status, TryReturnsTheFirstErrorWithItsContext) {
  EXPECT_THAT(PassesOn(), IsStatus(Code::kInvalid, "read slice.json: line 3: expected ','"));
}

TEST(Result, HoldsAValueOrTheReasonWhyNot) {
  EXPECT_THAT(Half(4), IsOkAndHolds(2));
  EXPECT_THAT(Half(3), IsStatus(Code::kInvalid, "3 is odd"));
  EXPECT_THAT(Quarter(12), IsOkAndHolds(Eq(3)));
  EXPECT_THAT(Quarter(6), IsStatus(Code::kInvalid, HasSubstr("half of 6: ")));
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  EXPECT_THAT(result, IsOkAndHolds(Pointee(7)));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_THAT(taken, Pointee(7));
}

TEST(ResultDeathTest, ValueOfAnErrorStopsTheProgram) { EXPECT_DEATH((void)Half(3).value(), "ok"); }

TEST(Matchers, TellCodesAndMessagesApart) {
  EXPECT_THAT(Fails(), Not(IsStatus(Code::kNotFound)));
  EXPECT_THAT(Fails(), Not(IsStatus(Code::kInvalid, HasSubstr("line 4"))));
  EXPECT_THAT(Half(3), Not(IsOk()));
  EXPECT_THAT(Half(3), Not(IsOkAndHolds(1)));
  EXPECT_THAT(Half(4), Not(IsOkAndHolds(1)));
  ASSERT_OK_AND_ASSIGN(const int half, Half(8));
  EXPECT_EQ(half, 4);
}

}  // namespace
}  // namespace allot
