#include "cel/library/time.h"

#include "base/test_util.h"

namespace allot::cel {
namespace {

TEST(Time, ReadsDurations) {
  EXPECT_EQ(ParseDuration("1h30m"), 5'400'000'000'000);
  EXPECT_EQ(ParseDuration("-1.5s"), -1'500'000'000);
  EXPECT_EQ(ParseDuration("-9223372036854775808ns"), INT64_MIN);
  for (const std::string_view text : {"", "1", "s", "1x", ".s", "9223372036854775808ns", "1h "})
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
}

TEST(Time, ReadsTimestampsAndKeepsTheirZone) {
  bool out_of_range = false;
  for (const std::string_view text :
       {"2020-02-29T12:30:45.123Z", "2020-01-01T00:00:00+02:30", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59-08:00"}) {
    const auto timestamp = ParseTimestamp(text, &out_of_range);
    ASSERT_TRUE(timestamp.has_value()) << text;
    EXPECT_EQ(FormatTimestamp(*timestamp), text);
  }
  for (const std::string_view text : {"2021-02-29T00:00:00Z", "2020-01-01", "2020-01-01t00:00:00z", "2020-01-01T24:00:00Z"}) {
    EXPECT_EQ(ParseTimestamp(text, &out_of_range).has_value() || out_of_range, false) << text;
  }
  EXPECT_FALSE(ParseTimestamp("0000-01-01T00:00:00Z", &out_of_range).has_value());
  EXPECT_TRUE(out_of_range);
}

TEST(Time, KnowsTheCalendar) {
  const Calendar leap = CalendarOf(1582979445);  // 2020-02-29T12:30:45Z
  EXPECT_EQ(leap.year, 2020);
  EXPECT_EQ(leap.month, 2);
  EXPECT_EQ(leap.day, 29);
  EXPECT_EQ(leap.day_of_week, 6);
  EXPECT_EQ(leap.day_of_year, 59);
  EXPECT_EQ(CalendarOf(kMinUnixSeconds).year, 1);
  EXPECT_EQ(CalendarOf(-1).second, 59);
}

TEST(Time, ReadsFixedZones) {
  EXPECT_EQ(ZoneOffset("UTC", 0), 0);
  EXPECT_EQ(ZoneOffset("+02:30", 0), 9000);
  EXPECT_EQ(ZoneOffset("-02:30", 0), -9000);
  for (const std::string_view zone : {"Nowhere/X", "../../etc/passwd", "/etc/passwd", "x:y"})
    EXPECT_EQ(ZoneOffset(zone, 0), std::nullopt) << zone;
}

}  // namespace
}  // namespace allot::cel
