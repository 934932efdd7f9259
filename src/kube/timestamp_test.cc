#include "kube/timestamp.h"

#include "base/test_util.h"

namespace allot::kube {
namespace {

using std::chrono::microseconds;

TEST(Timestamp, ReadsWhatApiServersWrite) {
  const auto utc = ParseTime("2026-11-16T00:38:43Z");
  ASSERT_TRUE(utc);
  EXPECT_EQ(utc->time_since_epoch(), std::chrono::seconds(1794789523));
  EXPECT_EQ(ParseTime("2026-11-16T02:38:43+02:00"), utc);
  EXPECT_EQ(ParseTime("2026-11-15T19:08:43-05:30"), utc);
  EXPECT_EQ(ParseTime("2026-11-16T00:38:43.25Z"), *utc + microseconds(250'000));
  EXPECT_EQ(ParseTime("2026-11-16T00:38:43.1234567899999Z"), *utc + microseconds(123'456));
}

TEST(Timestamp, RefusesOtherText) {
  for (const char* text :
       {"", "now", "2026-11-16", "2026-11-16T00:38:43", "2026-13-16T00:38:43Z", "2026-02-30T00:38:43Z", "2026-11-16T24:38:43Z",
        "2026-11-16T00:38:43.Z", "2026-11-16T00:38:43+2:00", "2026-11-16 00:38:43Z", "-026-11-16T00:38:43Z", "2026-11-16T00:38:43Zx"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

TEST(Timestamp, DistantTimesAreClampedToTheClocksRange) {
  EXPECT_EQ(WriteTime(*ParseTime("9999-12-31T23:59:59Z")), "2200-01-01T00:00:00Z");
  EXPECT_EQ(WriteTime(*ParseTime("0001-01-01T00:00:00Z")), "1970-01-01T00:00:00Z");
}

TEST(Timestamp, WritesWhatItReads) {
  for (const char* text : {"1970-01-01T00:00:00Z", "2026-11-16T00:38:43Z", "2028-02-29T23:59:59Z"})
    EXPECT_EQ(WriteTime(*ParseTime(text)), text);
  EXPECT_EQ(WriteMicroTime(*ParseTime("2026-11-16T00:38:43.000042Z")), "2026-11-16T00:38:43.000042Z");
}

}  // namespace
}  // namespace allot::kube
