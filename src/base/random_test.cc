#include "base/random.h"

#include <array>
#include <set>

#include "base/test_util.h"

namespace allot {
namespace {

using testing::MatchesRegex;

TEST(SystemRandom, GivesDifferentNumbers) {
  SystemRandom random;
  std::set<uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(random.Next64());
  EXPECT_EQ(seen.size(), 100u);
}

TEST(SeededRandom, SameSeedSameNumbersOnEveryMachine) {
  SeededRandom random(1234567);
  EXPECT_EQ(random.Next64(), 6457827717110365317u);
  EXPECT_EQ(random.Next64(), 3203168211198807973u);
  SeededRandom other(1234568);
  EXPECT_NE(other.Next64(), 6457827717110365317u);
}

TEST(Random, BelowReachesEveryNumberAndNoOther) {
  SeededRandom random(1);
  std::array<int, 6> seen{};
  for (int i = 0; i < 6000; ++i) ++seen.at(random.Below(6));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.Below(1), 0u);
}

TEST(Uuid4, HasVersionAndVariantAndLowerCase) {
  SeededRandom seeded(5);
  SystemRandom system;
  for (int i = 0; i < 100; ++i) {
    const auto form = MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    EXPECT_THAT(Uuid4(seeded), form);
    EXPECT_THAT(Uuid4(system), form);
  }
  EXPECT_NE(Uuid4(system), Uuid4(system));
}

TEST(Uuid7, IsInTheOrderOfTime) {
  SeededRandom random(7);
  WallTime now(std::chrono::milliseconds(1'760'000'000'123));
  std::string last;
  for (int i = 0; i < 5000; ++i, now += std::chrono::nanoseconds(250)) {
    const std::string uuid = Uuid7(now, random);
    EXPECT_THAT(uuid, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    if (!last.empty()) {
      EXPECT_LT(TimeOfUuid(last), TimeOfUuid(uuid));
    }
    last = uuid;
  }
  EXPECT_EQ(Uuid7(WallTime(std::chrono::milliseconds(0x0123456789AB)), random).substr(0, 18), "01234567-89ab-7000");
  EXPECT_EQ(TimeOfUuid(Uuid4(random)), "");
  EXPECT_EQ(TimeOfUuid(""), "");
}

}  // namespace
}  // namespace allot
