#include "kube/age.h"

#include "base/test_util.h"

namespace allot::kube {
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

TEST(Age, IsUnknownForAnInvalidTime) {
  const WallTime now{std::chrono::seconds(1'800'000'090)};
  EXPECT_EQ(Age("2027-01-15T08:00:00Z", now), "90s");
  EXPECT_EQ(Age("", now), "<unknown>");
  EXPECT_EQ(Age("soon", now), "<unknown>");
}

}  // namespace
}  // namespace allot::kube
