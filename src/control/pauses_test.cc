#include "control/pauses.h"

#include "base/test_util.h"

namespace allot::control {
namespace {

using std::chrono::milliseconds;

TEST(Pauses, EachIsTwiceAsLongUpToALimit) {
  Pauses pauses({});
  MonotonicTime now{};
  for (const int expected : {1000, 2000, 4000, 8000, 10'000, 10'000}) {
    EXPECT_EQ(pauses.Begin("lab/a", "1", now), milliseconds(expected));
    EXPECT_EQ(pauses.next(), now + milliseconds(expected));
    EXPECT_TRUE(pauses.Take(now + milliseconds(expected - 1)).empty());
    now += milliseconds(expected);
    ASSERT_EQ(pauses.Take(now).size(), 1u);
    EXPECT_EQ(pauses.next(), std::nullopt);
  }
}

TEST(Pauses, AnotherPodOfTheNameBeginsAnew) {
  Pauses pauses({});
  pauses.Begin("lab/a", "1", {});
  EXPECT_EQ(pauses.Begin("lab/a", "1", {}), milliseconds(2000));
  EXPECT_EQ(pauses.Begin("lab/a", "2", {}), milliseconds(1000));
}

TEST(Pauses, WhoIsBoundIsForgotten) {
  Pauses pauses({});
  pauses.Begin("lab/a", "1", {});
  EXPECT_TRUE(pauses.Has("lab/a", "1"));
  EXPECT_FALSE(pauses.Has("lab/a", "2"));
  pauses.End("lab/a");
  EXPECT_FALSE(pauses.Has("lab/a", "1"));
  EXPECT_EQ(pauses.Begin("lab/a", "1", {}), milliseconds(1000));
}

}  // namespace
}  // namespace allot::control
