#include "apiserver/schema/wire_text.h"

#include <limits>

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

TEST(WireText, TimesAreWrittenInSecondsOrMicroseconds) {
  EXPECT_EQ(TimeText({.seconds = 0, .nanoseconds = 5}, false), "1970-01-01T00:00:00Z");
  EXPECT_EQ(TimeText({.seconds = 1794789523, .nanoseconds = 1999}, true), "2026-11-16T00:38:43.000001Z");
  EXPECT_EQ(TimeText({.seconds = -1, .nanoseconds = 0}, false), "1969-12-31T23:59:59Z");
  EXPECT_EQ(TimeText({.seconds = std::numeric_limits<int64_t>::max(), .nanoseconds = 0}, false), std::nullopt);
  EXPECT_EQ(TimeText({.seconds = 0, .nanoseconds = -1}, true), std::nullopt);
}

TEST(WireText, TimesAreReadInAnyZone) {
  ASSERT_TRUE(TimeOf("2026-11-16T01:38:43.5+01:00").has_value());
  EXPECT_EQ(TimeOf("2026-11-16T01:38:43.5+01:00")->seconds, 1794789523);
  EXPECT_EQ(TimeOf("2026-11-16T01:38:43.5+01:00")->nanoseconds, 500'000'000);
  EXPECT_FALSE(TimeOf("yesterday").has_value());
}

TEST(WireText, DurationsAreWrittenAsGoDoes) {
  EXPECT_EQ(DurationText(0), "0s");
  EXPECT_EQ(DurationText(1), "1ns");
  EXPECT_EQ(DurationText(1500), "1.5µs");
  EXPECT_EQ(DurationText(20'000'000), "20ms");
  EXPECT_EQ(DurationText(1'500'000'000), "1.5s");
  EXPECT_EQ(DurationText(90LL * 60 * 1'000'000'000), "1h30m0s");
  EXPECT_EQ(DurationText(-61'000'000'001), "-1m1.000000001s");
  EXPECT_EQ(DurationText(std::numeric_limits<int64_t>::min()), "-2562047h47m16.854775808s");
  EXPECT_EQ(DurationOf("1h30m0s"), 90LL * 60 * 1'000'000'000);
}

TEST(WireText, DoublesAreWrittenAsGoDoes) {
  EXPECT_EQ(DoubleText(0), "0");
  EXPECT_EQ(DoubleText(-1.5), "-1.5");
  EXPECT_EQ(DoubleText(1e20), "100000000000000000000");
  EXPECT_EQ(DoubleText(1e21), "1e+21");
  EXPECT_EQ(DoubleText(1e-6), "0.000001");
  EXPECT_EQ(DoubleText(1e-7), "1e-7");
  EXPECT_EQ(DoubleText(std::numeric_limits<double>::infinity()), std::nullopt);
  EXPECT_EQ(DoubleText(std::numeric_limits<double>::quiet_NaN()), std::nullopt);
}

TEST(WireText, BytesThatAreNotUtf8AreReplaced) {
  std::string buffer;
  EXPECT_EQ(MendUtf8("ünï", buffer), "ünï");
  EXPECT_EQ(MendUtf8("a\xff\xfe"
                     "b\xc3",
                     buffer),
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_EQ(MendUtf8("", buffer), "");
}

}  // namespace
}  // namespace allot::apiserver
