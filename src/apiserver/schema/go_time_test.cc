#include "apiserver/schema/go_time.h"

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using testing::HasSubstr;

TEST(GoTime, IsWrittenInUtc) {
  struct {
    std::string_view text, written;
  } const cases[] = {
      {"2026-11-16T00:38:43Z", "2026-11-16T00:38:43Z"},
      {"2026-11-16T0:38:43Z", "2026-11-16T00:38:43Z"},
      {"2026-11-16T00:38:43.999999999999Z", "2026-11-16T00:38:43Z"},
      {"2026-11-16T00:38:43,5Z", "2026-11-16T00:38:43Z"},
      {"2024-02-29T23:59:59-00:01", "2024-03-01T00:00:59Z"},
      {"2026-01-01T00:00:00+24:60", "2025-12-30T23:00:00Z"},
      {"0001-01-01T00:00:00Z", ""},
      {"0001-01-01T01:00:00+01:00", ""},
      {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"},
  };
  for (const auto& c : cases) {
    const auto written = CanonicalTime(c.text, TimePrecision::kSeconds);
    ASSERT_OK(written);
    EXPECT_EQ(*written, c.written) << c.text;
  }
}

TEST(GoTime, MicrosecondsHaveSixDigits) {
  EXPECT_EQ(*CanonicalTime("2026-11-16T00:38:43.000120Z", TimePrecision::kMicroseconds), "2026-11-16T00:38:43.000120Z");
  for (const std::string_view text : {"2026-11-16T00:38:43Z", "2026-11-16T00:38:43.5Z", "2026-11-16T00:38:43.0000000Z"}) {
    EXPECT_THAT(CanonicalTime(text, TimePrecision::kMicroseconds), IsStatus(Code::kInvalid, HasSubstr("cannot parse"))) << text;
  }
}

TEST(GoTime, ErrorsHaveTheWordsOfGo) {
  struct {
    std::string_view text, error;
  } const cases[] = {
      {"", R"(parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006")"},
      {"2026", R"(parsing time "2026" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "-")"},
      {"2026-1-01T00:00:00Z", R"(cannot parse "1-01T00:00:00Z" as "01")"},
      {"2026-13-01T00:00:00Z", R"(parsing time "2026-13-01T00:00:00Z": month out of range)"},
      {"2026-02-29T00:00:00Z", "day out of range"},
      {"2026-02-01 00:00:00Z", R"(cannot parse " 00:00:00Z" as "T")"},
      {"2026-02-01T24:00:00Z", "hour out of range"},
      {"2026-02-01T00:60:00Z", "minute out of range"},
      {"2026-02-01T00:00:60Z", "second out of range"},
      {"2026-02-01T00:00:00", R"(cannot parse "" as "Z07:00")"},
      {"2026-02-01T00:00:00+25:00", "time zone offset hour out of range"},
      {"2026-02-01T00:00:00Zx", R"(extra text: "x")"},
      {"-2026-02-01T00:00:00Z", R"(as "2006")"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(CanonicalTime(c.text, TimePrecision::kSeconds), IsStatus(Code::kInvalid, HasSubstr(c.error))) << c.text;
  }
}

}  // namespace
}  // namespace allot::apiserver
