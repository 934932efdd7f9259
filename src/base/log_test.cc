#include "base/log.h"

#include "base/fake_clock.h"
#include "base/test_util.h"

namespace allot {
namespace {

std::string Line(Log::Format format) {
  FakeClock clock;
  std::string written;
  Log log(clock, format, [&](std::string_view line) { written += line; });
  log.Warning("not\nprepared", {{"claim", "lab/train"}, {"why", "a \"gap\""}, {"empty", ""}});
  return written.substr(written.find('T'));
}

TEST(Log, TextIsOneLineWithItsFields) {
  EXPECT_EQ(Line(Log::Format::kText).substr(13), "Z WARNING not prepared claim=lab/train why=\"a \\\"gap\\\"\" empty=\"\"\n");
}

TEST(Log, JsonIsOneObject) {
  EXPECT_EQ(Line(Log::Format::kJson).substr(13),
            R"(Z","level":"WARNING","message":"not\nprepared","claim":"lab/train","why":"a \"gap\"","empty":""})"
            "\n");
}

}  // namespace
}  // namespace allot
