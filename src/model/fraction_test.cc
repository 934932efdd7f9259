#include "model/fraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_util.h"

namespace allot::model {
namespace {

using testing::HasSubstr;

TEST(Fraction, IsExactAndRoundsDown) {
  const struct {
    const char* text;
    int64_t of, mib;
  } cases[] = {{"0.5", 24576, 12288},
               {".25", 24576, 6144},
               {"0.57", 81500, 46455},
               {"0.5", 11, 5},
               {"0.333333333", 3, 0},
               {"+.100", 1000, 100},
               {"0.1", 10, 1},
               {"0.3", 10, 3},
               {"0.7", 10, 7},
               {"1/3", 24576, 8192},
               {"2/3", 24576, 16384},
               {"0.333333333", 24576, 8191},
               {"0.333333333333333333", 24576, 8191},
               {"0.0000000001", 20'000'000'000, 2},
               {"1/7", 81920, 11702},
               {"999999999999999998/999999999999999999", 8'796'093'022'207, 8'796'093'022'206}};
  for (const auto& one : cases) {
    ASSERT_OK_AND_ASSIGN(const Fraction fraction, Fraction::Parse(one.text));
    EXPECT_EQ(fraction.Of(MiB(one.of)), MiB(one.mib)) << one.text;
  }
}

TEST(Fraction, IsInLowestTermsAndKeepsItsText) {
  ASSERT_OK_AND_ASSIGN(const Fraction half, Fraction::Parse("0.50"));
  EXPECT_EQ(half.numerator(), 1);
  EXPECT_EQ(half.denominator(), 2);
  EXPECT_EQ(half.text(), "0.50");
}

TEST(Fraction, RefusesWhatIsNone) {
  for (const char* bad : {"0",   "1",   "1.0", "1.5", "-0.5", "half", "",      "NaN",   "0.1234567890123456789", "0x1p-1", "0/3",
                          "3/3", "4/3", "1/0", "1/",  "/3",   "-1/3", "1/3/5", "1/0.5", "1/9999999999999999999", "12",     "12.5",
                          "."}) {
    EXPECT_THAT(Fraction::Parse(bad), IsStatus(Code::kInvalid, HasSubstr("like 0.5 or 1/3"))) << bad;
  }
  EXPECT_THAT(Fraction::Parse("0"), IsStatus(Code::kInvalid, HasSubstr("\"0\" is not above 0;")));
  EXPECT_THAT(Fraction::Parse("1"), IsStatus(Code::kInvalid, HasSubstr("\"1\" is a whole GPU")));
  EXPECT_THAT(Fraction::Parse("1.5"), IsStatus(Code::kInvalid, HasSubstr("\"1.5\" is more than a whole GPU;")));
  EXPECT_THAT(Fraction::Parse("1/9999999999999999999"), IsStatus(Code::kInvalid, HasSubstr("has more than 18 digits;")));
  for (const char* text : {"333.3333333e-3", "500m", "5e-1", "1u"}) {
    EXPECT_THAT(Fraction::Parse(text), IsStatus(Code::kInvalid, HasSubstr("has an exponent or a unit; give a part of a GPU"))) << text;
  }
  EXPECT_THAT(Fraction::Parse("nan"), IsStatus(Code::kInvalid, HasSubstr("\"nan\" is not a number;")));
}

}  // namespace
}  // namespace allot::model
