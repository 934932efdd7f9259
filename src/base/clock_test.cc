#include "base/clock.h"

#include "base/fake_clock.h"
#include "base/test_util.h"

namespace allot {
namespace {

using namespace std::chrono_literals;

TEST(SystemClock, MonotonicTimeNeverGoesBack) {
  const SystemClock clock;
  const MonotonicTime before = clock.MonotonicNow();
  EXPECT_LE(before, clock.MonotonicNow());
  EXPECT_GT(clock.Now(), WallTime(std::chrono::seconds(1'600'000'000)));
}

TEST(FakeClock, StandsStillUntilItIsMoved) {
  FakeClock clock;
  const WallTime wall = clock.Now();
  const MonotonicTime monotonic = clock.MonotonicNow();
  EXPECT_EQ(clock.Now(), wall);
  clock.Advance(1500ms);
  EXPECT_EQ(clock.Now() - wall, 1500ms);
  EXPECT_EQ(clock.MonotonicNow() - monotonic, 1500ms);
}

TEST(FakeClock, SettingTheWallClockLeavesTheMonotonicOne) {
  FakeClock clock;
  const MonotonicTime monotonic = clock.MonotonicNow();
  clock.SetWall(WallTime(5s));
  EXPECT_EQ(clock.Now(), WallTime(5s));
  EXPECT_EQ(clock.MonotonicNow(), monotonic);
}

}  // namespace
}  // namespace allot
