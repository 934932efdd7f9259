#include "cli/age.h"

#include "base/test_util.h"

namespace allot::cli {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(HumanDuration, IsWhatKubectlSays) {
  constexpr int kDay = 24;
  constexpr int kYear = 365 * kDay;
  EXPECT_EQ(HumanDuration(seconds(-2)), "<invalid>");
  EXPECT_EQ(HumanDuration(seconds(-1)), "0s");
  EXPECT_EQ(HumanDuration(seconds(0)), "0s");
  EXPECT_EQ(HumanDuration(seconds(119)), "119s");
  EXPECT_EQ(HumanDuration(seconds(120)), "2m");
  EXPECT_EQ(HumanDuration(seconds(200)), "3m20s");
  EXPECT_EQ(HumanDuration(seconds(599)), "9m59s");
  EXPECT_EQ(HumanDuration(minutes(10) + seconds(30)), "10m");
  EXPECT_EQ(HumanDuration(minutes(179)), "179m");
  EXPECT_EQ(HumanDuration(hours(3)), "3h");
  EXPECT_EQ(HumanDuration(hours(7) + minutes(59)), "7h59m");
  EXPECT_EQ(HumanDuration(hours(8) + minutes(59)), "8h");
  EXPECT_EQ(HumanDuration(hours(47)), "47h");
  EXPECT_EQ(HumanDuration(hours(48)), "2d");
  EXPECT_EQ(HumanDuration(hours(7 * kDay + 23)), "7d23h");
  EXPECT_EQ(HumanDuration(hours(8 * kDay + 23)), "8d");
  EXPECT_EQ(HumanDuration(hours(2 * kYear - 1)), "729d");
  EXPECT_EQ(HumanDuration(hours(2 * kYear + 10 * kDay)), "2y10d");
  EXPECT_EQ(HumanDuration(hours(8 * kYear)), "8y");
}

TEST(LongTime, IsRfc1123InUtc) {
  EXPECT_EQ(LongTime("2026-11-16T00:34:43Z"), "Mon, 16 Nov 2026 00:34:43 +0000");
  EXPECT_EQ(LongTime("2024-02-29T23:59:59.999999Z"), "Thu, 29 Feb 2024 23:59:59 +0000");
  EXPECT_EQ(LongTime("soon"), "soon");
}

}  // namespace
}  // namespace allot::cli
