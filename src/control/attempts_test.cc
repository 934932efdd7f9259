#include "control/attempts.h"

#include "base/test_util.h"

namespace allot::control {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

sched::Pod PodOf(std::string_view name, std::string_view uid) {
  sched::Pod pod;
  pod.key = StrCat("lab/", name);
  pod.pod.uid = uid;
  return pod;
}

TEST(Pause, EachIsTwiceAsLongUpToALimit) {
  Pause pause;
  MonotonicTime now{};
  for (const int expected : {1000, 2000, 4000, 8000, 10'000, 10'000}) {
    EXPECT_EQ(pause.Begin({}, now), now + milliseconds(expected));
    EXPECT_FALSE(pause.EndIfOver(now + milliseconds(expected - 1)));
    EXPECT_TRUE(pause.running());
    now += milliseconds(expected);
    EXPECT_TRUE(pause.EndIfOver(now));
    EXPECT_FALSE(pause.running());
    EXPECT_FALSE(pause.EndIfOver(now));
  }
  pause.Reset();
  EXPECT_EQ(pause.Begin({}, now), now + milliseconds(1000));
}

TEST(Attempts, AnotherPodOfTheNameStartsAnew) {
  Attempts attempts({});
  Attempt& first = attempts.Of(PodOf("a", "1"));
  attempts.Begin(first, first.refused, {});
  EXPECT_EQ(attempts.Find("2"), nullptr);
  EXPECT_FALSE(attempts.Of(PodOf("a", "2")).refused.running());
  EXPECT_EQ(&attempts.Of(PodOf("a", "1")), &first);
  EXPECT_EQ(first.pod, "lab/a");
}

TEST(Attempts, ARecordIsDueWhenItsFirstPauseIsOver) {
  Attempts attempts({});
  Attempt &a = attempts.Of(PodOf("a", "1")), &b = attempts.Of(PodOf("b", "2"));
  const MonotonicTime start{};
  EXPECT_EQ(attempts.next(), std::nullopt);
  attempts.Begin(a, a.claim, start + milliseconds(500));
  attempts.Begin(a, a.retry, start);
  attempts.Begin(b, b.refused, start);
  EXPECT_EQ(attempts.next(), start + milliseconds(1000));
  EXPECT_THAT(attempts.TakeDue(start + milliseconds(999)), IsEmpty());
  EXPECT_THAT(attempts.TakeDue(start + milliseconds(1000)), ElementsAre(&a, &b));
  EXPECT_TRUE(a.retry.EndIfOver(start + milliseconds(1000)));
  EXPECT_FALSE(a.claim.EndIfOver(start + milliseconds(1000)));
  EXPECT_EQ(attempts.next(), start + milliseconds(1500));
  EXPECT_THAT(attempts.TakeDue(start + milliseconds(2000)), ElementsAre(&a));
  EXPECT_EQ(attempts.next(), std::nullopt);
}

TEST(Attempts, AClaimIsBusyUntilItsLastJobHasEnded) {
  Attempts attempts({});
  Attempt &a = attempts.Of(PodOf("a", "1")), &b = attempts.Of(PodOf("b", "2"));
  attempts.BeginJob(a, {"lab/x", "lab/y"});
  attempts.BeginJob(b, {"lab/x"});
  attempts.DecideAgainAfter("lab/x");
  EXPECT_FALSE(attempts.EndJob(a, {"lab/x", "lab/y"}));
  EXPECT_TRUE(attempts.IsBusy("lab/x"));
  EXPECT_FALSE(attempts.IsBusy("lab/y"));
  EXPECT_TRUE(attempts.EndJob(b, {"lab/x"}));
  EXPECT_FALSE(attempts.IsBusy("lab/x"));
}

TEST(Attempts, ARecordEndsWithItsLastJobAndItsPlacement) {
  Attempts attempts({});
  Attempt& attempt = attempts.Of(PodOf("a", "1"));
  attempt.placed = std::make_shared<sched::Placed>();
  attempt.node = "n1";
  attempts.BeginJob(attempt, {});
  attempts.Begin(attempt, attempt.refused, {});
  attempts.Close(attempt);
  EXPECT_EQ(attempt.node, "");
  EXPECT_FALSE(attempt.refused.running());
  attempts.EndJob(attempt, {});
  attempts.EraseIfDone(attempt);
  ASSERT_EQ(attempts.Find("1"), &attempt);  // a placement that may be written counts, even if the Pod is deleted
  attempt.placed = nullptr;
  attempts.EraseIfDone(attempt);
  EXPECT_EQ(attempts.size(), 0u);
  EXPECT_THAT(attempts.TakeDue(MonotonicTime::max()), IsEmpty());
}

TEST(Attempts, ARecordOfAPodThatWaitsStays) {
  Attempts attempts({});
  Attempt& attempt = attempts.Of(PodOf("a", "1"));
  attempts.EraseIfDone(attempt);
  EXPECT_EQ(attempts.size(), 1u);
}

}  // namespace
}  // namespace allot::control
