#include "kube/leader/leader.h"

#include <vector>

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "kube/leader/leader_test_lease.h"

namespace allot::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Elector::Action::Kind;

// Plays one candidate against the Lease; answers come at once.
struct Player {
  Player(std::string identity, MemoryLease& shared, FakeClock& time)
      : lease(shared), clock(time), elector(As(std::move(identity)), random) {}

  // Acts until the elector wants to wait; gives the kinds of what it did.
  std::vector<Kind> Play() {
    std::vector<Kind> done;
    for (;;) {
      const MonotonicTime now = clock.MonotonicNow();
      const Elector::Action action = elector.Next(now, clock.Now());
      if (action.kind == Kind::kWait) return done;
      done.push_back(action.kind);
      const auto answer = action.kind == Kind::kGet ? lease.Get() : lease.Put(action.record);
      if (!reachable) {
        elector.OnFailed(now);
      } else if (action.kind == Kind::kGet) {
        answer ? elector.OnFound(*answer, now) : elector.OnMissing(now);
      } else {
        answer ? elector.OnWritten(*answer, now, now) : elector.OnFailed(now);
      }
    }
  }
  // Both of them, every 100 ms.
  void PlayFor(milliseconds time) {
    for (; time > milliseconds(0); time -= milliseconds(100)) clock.Advance(milliseconds(100)), Play();
  }
  bool leads() const { return elector.Leads(clock.MonotonicNow()); }

  MemoryLease& lease;
  FakeClock& clock;
  SeededRandom random{7};
  Elector elector;
  bool reachable = true;
};

class ElectorTest : public testing::Test {
 protected:
  FakeClock clock_;
  MemoryLease lease_;
  Player a_{"a", lease_, clock_}, b_{"b", lease_, clock_};
};

TEST_F(ElectorTest, CreatesTheLeaseThatIsMissingAndLeads) {
  EXPECT_THAT(a_.Play(), ElementsAre(Kind::kGet, Kind::kCreate));
  EXPECT_TRUE(a_.leads());
  EXPECT_EQ(a_.elector.holder(), "a");
  EXPECT_EQ(lease_.Get()->acquire_time, "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(lease_.Get()->duration_seconds, 15);
  EXPECT_EQ(lease_.Get()->transitions, 0);
}

TEST_F(ElectorTest, RenewsEveryRetryPeriodByOneWriteAndKeepsTheAcquireTime) {
  a_.Play();
  clock_.Advance(milliseconds(1999));
  EXPECT_THAT(a_.Play(), ElementsAre());
  clock_.Advance(milliseconds(1));
  EXPECT_THAT(a_.Play(), ElementsAre(Kind::kUpdate));
  EXPECT_EQ(lease_.Get()->acquire_time, "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(lease_.Get()->renew_time, "2026-01-01T00:00:02.000000Z");
  EXPECT_EQ(a_.elector.leads_until(), clock_.MonotonicNow() + seconds(10));
  EXPECT_EQ(a_.elector.term(), 1u);
}

TEST_F(ElectorTest, ACandidateWaitsAFullLeaseFromWhenItSawTheRecordHoweverOldThatSaysItIs) {
  a_.Play();
  clock_.SetWall(clock_.Now() + hours(1));  // by its own word, the record has run out long ago
  b_.Play();
  b_.PlayFor(seconds(15));
  EXPECT_FALSE(b_.leads());
  b_.PlayFor(milliseconds(4500));  // the next look is at most 4.4 s away
  EXPECT_TRUE(b_.leads());
  EXPECT_EQ(lease_.Get()->holder, "b");
  EXPECT_EQ(lease_.Get()->transitions, 1);
  EXPECT_GT(lease_.Get()->acquire_time, "2026-01-01T01:00:15");
}

TEST_F(ElectorTest, ARenewalThatACandidateSawRestartsItsWait) {
  a_.Play();
  for (int i = 0; i < 600; ++i) a_.PlayFor(milliseconds(100)), b_.Play();
  EXPECT_TRUE(a_.leads());
  EXPECT_EQ(lease_.Get()->transitions, 0);
}

TEST_F(ElectorTest, ARenewalIsSeenEvenIfTheLeadersWallClockStandsStill) {
  a_.Play();
  const std::string version = lease_.Get()->resource_version;
  clock_.Advance(seconds(2));
  clock_.SetWall(WallTime(seconds(1767225600)));
  a_.Play();
  EXPECT_NE(lease_.Get()->resource_version, version);
}

TEST_F(ElectorTest, ALeaderThatCannotRenewStopsAfterTheDeadlineAndBeforeAnotherLeads) {
  a_.Play();
  b_.Play();
  a_.reachable = false;
  clock_.Advance(seconds(10) - nanoseconds(1));
  EXPECT_TRUE(a_.leads());
  clock_.Advance(nanoseconds(1));
  EXPECT_FALSE(a_.leads());
  EXPECT_EQ(lease_.Get()->holder, "a");
}

TEST_F(ElectorTest, WritesThatFailDoNotMakeItAskWithoutPause) {
  a_.Play();
  a_.reachable = false;
  clock_.Advance(seconds(2));
  EXPECT_THAT(a_.Play(), ElementsAre(Kind::kUpdate, Kind::kGet));
  clock_.Advance(seconds(2));
  EXPECT_THAT(a_.Play(), ElementsAre(Kind::kGet));
}

TEST_F(ElectorTest, ALeaderThatSeesAnotherHolderStopsAtOnce) {
  a_.Play();
  LeaseRecord other = *lease_.Get();
  other.holder = "c";
  ASSERT_TRUE(lease_.Put(other));
  clock_.Advance(seconds(2));
  EXPECT_THAT(a_.Play(), ElementsAre(Kind::kUpdate, Kind::kGet));
  EXPECT_FALSE(a_.leads());
  EXPECT_EQ(a_.elector.holder(), "c");
}

TEST_F(ElectorTest, TimeIsCountedFromBeforeTheWriteWasSent) {
  const MonotonicTime sent = clock_.MonotonicNow();
  ASSERT_EQ(a_.elector.Next(sent, clock_.Now()).kind, Kind::kGet);
  a_.elector.OnMissing(sent);
  const Elector::Action create = a_.elector.Next(sent, clock_.Now());
  const LeaseRecord stored = *lease_.Put(create.record);
  a_.elector.OnWritten(stored, sent, sent + seconds(11));  // an answer that is of no use any more
  EXPECT_FALSE(a_.elector.Leads(sent + seconds(11)));
  EXPECT_EQ(a_.elector.term(), 0u);
}

TEST_F(ElectorTest, AReleasedLeaseIsTakenAtTheNextLook) {
  a_.Play();
  b_.Play();
  const auto released = a_.elector.Release(clock_.Now());
  ASSERT_TRUE(released);
  EXPECT_FALSE(a_.leads());
  EXPECT_EQ(released->holder, "");
  EXPECT_EQ(released->duration_seconds, 1);
  EXPECT_EQ(released->transitions, 0);
  ASSERT_TRUE(lease_.Put(*released));
  EXPECT_EQ(b_.elector.Release(clock_.Now()), std::nullopt);  // not b's to give
  b_.PlayFor(milliseconds(4500));
  EXPECT_TRUE(b_.leads());
  EXPECT_EQ(lease_.Get()->transitions, 1);
}

TEST_F(ElectorTest, ADeletedLeaseIsNotTakenBeforeItsLeaderMustHaveStopped) {
  a_.Play();
  b_.Play();
  lease_.Delete();
  b_.PlayFor(seconds(15));
  EXPECT_FALSE(lease_.Get());
  b_.PlayFor(seconds(9));  // a look to see that it is missing, and one to see that it still is
  EXPECT_TRUE(b_.leads());
}

TEST(LeaderOptions, RefusesTimesThatCannotKeepThePromise) {
  EXPECT_OK(As("a").Check());
  EXPECT_THAT(As("").Check(), IsStatus(Code::kInvalid, HasSubstr("identity")));
  EXPECT_THAT((LeaderOptions{.identity = "a", .lease_duration = seconds(10)}.Check()),
              IsStatus(Code::kInvalid, HasSubstr("lease duration")));
  EXPECT_THAT((LeaderOptions{.identity = "a", .retry_period = seconds(9)}.Check()), IsStatus(Code::kInvalid, HasSubstr("renew deadline")));
}

}  // namespace
}  // namespace allot::kube
