#include "cli/age.h"

#include "base/test_util.h"

namespace allot::cli {
namespace {

TEST(LongTime, IsRfc1123InUtc) {
  EXPECT_EQ(LongTime("2026-11-16T00:34:43Z"), "Mon, 16 Nov 2026 00:34:43 +0000");
  EXPECT_EQ(LongTime("2024-02-29T23:59:59.999999Z"), "Thu, 29 Feb 2024 23:59:59 +0000");
  EXPECT_EQ(LongTime("soon"), "soon");
}

}  // namespace
}  // namespace allot::cli
