#include "cli/program/values.h"

#include "base/test_util.h"

namespace allot::cli {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(Values, TimesAreGosDurationsOrSeconds) {
  const std::pair<std::string_view, int64_t> kTimes[] = {
      {"30", 30'000}, {"30s", 30'000}, {"2m", 120'000}, {"1h", 3'600'000}, {"500ms", 500},  {"1m30s", 90'000}, {"1.5s", 1'500},
      {"0", 0},       {"0s", 0},       {"1us", 1},      {"1ns", 1},        {"1\u00B5s", 1}, {"100ms", 100},    {"1h0m0.5s", 3'600'500}};
  for (const auto& [text, time] : kTimes) EXPECT_EQ(ParseTime(text).value(), milliseconds(time)) << text;
  EXPECT_GT(ParseTime("1000000h").value(), milliseconds(0));
}

TEST(Values, AnInvalidTimeIsQuotedInFull) {
  for (const std::string_view text : {"", "foo", "1x", "-1s", "1s2", "s", "inf", "nan", "1 s", "1e3", "1usx"}) {
    EXPECT_THAT(ParseTime(text), IsStatus(Code::kInvalid, StrCat(Quoted(text), " is not a time like 30s, 1m30s or 500ms")));
  }
}

TEST(Values, NumbersAndSecondsAreChecked) {
  EXPECT_EQ(ParseNumber("0.5").value(), 0.5);
  for (const std::string_view text : {"", "abc", "-3", "1e9", "2000000", "inf", "nan", "5x"}) {
    EXPECT_THAT(ParseNumber(text), IsStatus(Code::kInvalid, HasSubstr("is not a number from 0 to 1000000")));
  }
  EXPECT_EQ(ParseSeconds("-1").value(), -1);
  for (const std::string_view text : {"", "abc", "-2", "1.5", "5s"}) EXPECT_THAT(ParseSeconds(text), IsStatus(Code::kInvalid));
}

}  // namespace
}  // namespace allot::cli
