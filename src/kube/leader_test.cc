#include "kube/leader.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "http/scripted_server.h"
#include "json/json.h"

namespace allot::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Elector::Action::Kind;

LeaderOptions As(std::string identity) { return {.identity = std::move(identity)}; }

// The Lease as a server has it, without a network.
class MemoryLease {
 public:
  std::optional<LeaseRecord> Get() const { return record_; }
  std::optional<LeaseRecord> Put(LeaseRecord record) {
    const std::string version = record_ ? record_->resource_version : "";
    if (record.resource_version != version) return std::nullopt;
    // As the server does: what changes nothing is no new version.
    if (record_ && record.renew_time == record_->renew_time && record.holder == record_->holder) return record_;
    record.resource_version = StrCat(++version_);
    record_ = record;
    return record_;
  }
  void Delete() { record_.reset(); }

 private:
  int version_ = 0;
  std::optional<LeaseRecord> record_;
};

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

TEST_F(ElectorTest, ARenewalThatACandidateSawStartsItsWaitAnew) {
  a_.Play();
  for (int i = 0; i < 600; ++i) a_.PlayFor(milliseconds(100)), b_.Play();
  EXPECT_TRUE(a_.leads());
  EXPECT_EQ(lease_.Get()->transitions, 0);
}

TEST_F(ElectorTest, ARenewalIsSeenThoughTheLeadersWallClockStandsStill) {
  a_.Play();
  const std::string version = lease_.Get()->resource_version;
  clock_.Advance(seconds(2));
  clock_.SetWall(WallTime(seconds(1767225600)));
  a_.Play();
  EXPECT_NE(lease_.Get()->resource_version, version);
}

TEST_F(ElectorTest, ALeaderThatCannotRenewStopsAfterTheDeadlineAndBeforeAnybodyElseLeads) {
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

// Candidates with clocks of their own, and a network that loses and delays what they send and what they are answered.
class Simulation {
 public:
  Simulation(uint64_t seed, double skew) : random_(seed), skew_(skew) {
    for (int i = 0; i < 3; ++i) candidates_.push_back(Newcomer());
  }

  // Whether never two led at the same time, nor one when the server gave the Lease to another.
  bool Run(int steps) {
    for (int step = 0; step < steps; ++step) {
      now_ += milliseconds(1 + random_.Below(100));
      for (auto& candidate : candidates_) Move(*candidate);
      const auto leaders = std::count_if(candidates_.begin(), candidates_.end(), [this](auto& c) { return c->elector->Leads(Local(*c)); });
      if (leaders > 1) safe_ = false;
      if (leaders == 1) ++led_steps;
      if (random_.Below(200) == 0) Disturb();
    }
    return safe_;
  }

  int led_steps = 0, changes = 0;

 private:
  struct Candidate {
    std::string identity;
    nanoseconds offset;  // of its clock
    double rate;
    std::unique_ptr<Elector> elector;
    bool cut_off = false;
    // The request that is on its way: reaches the server, is answered, or is given up on.
    Elector::Action action;
    bool waits = false, applied = false, answered = false;
    MonotonicTime sent;  // by its own clock
    nanoseconds arrives{0}, answer_arrives{0};
    std::optional<LeaseRecord> answer;
  };

  std::unique_ptr<Candidate> Newcomer() {
    auto candidate = std::make_unique<Candidate>();
    candidate->identity = StrCat("c", ++born_);
    candidate->offset = seconds(random_.Below(100'000));
    candidate->rate = random_.Below(2) == 0 ? 1 - skew_ : 1 + skew_;
    // Looks often, so that nothing but the promise keeps two apart.
    const LeaderOptions options{.identity = candidate->identity, .retry_period = milliseconds(100)};
    candidate->elector = std::make_unique<Elector>(options, random_);
    return candidate;
  }

  MonotonicTime Local(const Candidate& candidate) const {
    return MonotonicTime(candidate.offset + nanoseconds(static_cast<int64_t>(static_cast<double>(now_.count()) * candidate.rate)));
  }

  nanoseconds Delay() { return milliseconds(random_.Below(random_.Below(10) == 0 ? 6'000 : 50)); }

  void Move(Candidate& candidate) {
    Elector& elector = *candidate.elector;
    const MonotonicTime local = Local(candidate);
    if (candidate.waits && !candidate.applied && now_ >= candidate.arrives) Apply(candidate);
    if (candidate.waits && candidate.answered && now_ >= candidate.answer_arrives && local < candidate.action.until) {
      candidate.waits = false;
      if (candidate.action.kind == Kind::kGet) {
        candidate.answer ? elector.OnFound(*candidate.answer, local) : elector.OnMissing(local);
      } else {
        candidate.answer ? elector.OnWritten(*candidate.answer, candidate.sent, local) : elector.OnFailed(local);
      }
    } else if (candidate.waits && local >= candidate.action.until) {
      candidate.waits = false;
      // What was given up on may still arrive, much later.
      if (!candidate.applied && random_.Below(2) == 0) stragglers_.push_back(candidate.action);
      elector.OnFailed(local);
    }
    if (!stragglers_.empty() && random_.Below(50) == 0) {
      Store(stragglers_.back());
      stragglers_.pop_back();
    }
    if (candidate.waits) return;
    // Wall clocks say anything, and stand still at times.
    candidate.action = elector.Next(local, WallTime(seconds(1'700'000'000 + random_.Below(3) * 1000)));
    if (candidate.action.kind == Kind::kWait) return;
    candidate.waits = true;
    candidate.applied = candidate.answered = false;
    candidate.sent = local;
    candidate.arrives = now_ + Delay();
  }

  void Apply(Candidate& candidate) {
    candidate.applied = true;
    if (candidate.cut_off || random_.Below(20) == 0) return;  // lost on its way there
    candidate.answer = candidate.action.kind == Kind::kGet ? lease_.Get() : Store(candidate.action);
    candidate.answered = random_.Below(20) != 0;  // or on its way back
    candidate.answer_arrives = now_ + Delay();
  }

  std::optional<LeaseRecord> Store(const Elector::Action& action) {
    if (action.kind == Kind::kGet) return std::nullopt;
    const std::string before = lease_.Get() ? lease_.Get()->holder : "";
    const auto stored = lease_.Put(action.record);
    if (!stored || stored->holder == before) return stored;
    ++changes;
    // Nobody else may act when it is given away.
    for (const auto& other : candidates_) safe_ = safe_ && (other->identity == stored->holder || !other->elector->Leads(Local(*other)));
    return stored;
  }

  // Something happens to one of them, preferably to the leader.
  void Disturb() {
    size_t i = random_.Below(candidates_.size());
    for (size_t k = 0; k < candidates_.size() && random_.Below(4) != 0; ++k) {
      if (candidates_[k]->elector->Leads(Local(*candidates_[k]))) i = k;
    }
    Candidate& candidate = *candidates_[i];
    if (random_.Below(2) == 0) {
      candidate.cut_off = !candidate.cut_off;
      return;
    }
    if (random_.Below(2) == 0) {  // stops in good order; the release may be lost
      const auto record = candidate.elector->Release(WallTime(seconds(1'600'000'000 + born_)));
      if (record && random_.Below(3) != 0) lease_.Put(*record);
    }
    // It ends, and another one starts.
    if (candidate.waits && !candidate.applied) stragglers_.push_back(candidate.action);
    candidates_[i] = Newcomer();
  }

  SeededRandom random_;
  const double skew_;
  int born_ = 0;
  bool safe_ = true;
  nanoseconds now_{0};  // the true time
  MemoryLease lease_;
  std::vector<std::unique_ptr<Candidate>> candidates_;
  std::vector<Elector::Action> stragglers_;
};

TEST(Election, TwoNeverLeadAtTheSameTimeWithSkewedClocksAndLostAnswers) {
  int led_steps = 0, changes = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Simulation simulation(seed, 0.19);  // 1.19 / 0.81 is just below 15 / 10
    ASSERT_TRUE(simulation.Run(10'000)) << "seed " << seed;
    led_steps += simulation.led_steps;
    changes += simulation.changes;
  }
  EXPECT_GT(led_steps, 600'000);  // of 2,000,000: it is no way to be safe that nobody ever leads
  EXPECT_GT(changes, 2'000);
}

TEST(Election, TheSimulationNoticesClocksThatDifferByMoreThanPromised) {
  int unsafe = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) unsafe += Simulation(seed, 0.25).Run(10'000) ? 0 : 1;
  EXPECT_GT(unsafe, 0);
}

// A server in memory that can stop to answer.
class TestStore final : public LeaseStore {
 public:
  Result<LeaseRecord> Get(const http::Patience& patience) override {
    return Answer(patience, [this]() -> Result<LeaseRecord> {
      if (const auto record = lease_.Get()) return *record;
      return NotFound("no lease");
    });
  }
  Result<LeaseRecord> Create(const LeaseRecord& record, const http::Patience& patience) override { return Update(record, patience); }
  Result<LeaseRecord> Update(const LeaseRecord& record, const http::Patience& patience) override {
    return Answer(patience, [&]() -> Result<LeaseRecord> {
      if (const auto stored = lease_.Put(record)) return *stored;
      return Conflict("another version");
    });
  }

  void Hang(bool hang) {
    const std::lock_guard lock(mutex_);
    hang_ = hang;
    changed_.notify_all();
  }
  LeaseRecord record() {
    const std::lock_guard lock(mutex_);
    return lease_.Get().value_or(LeaseRecord());
  }

 private:
  template <typename Function>
  Result<LeaseRecord> Answer(const http::Patience& patience, Function function) {
    std::unique_lock lock(mutex_);
    // Patience is not heeded: the worst that a call can do.
    static_cast<void>(patience);
    changed_.wait(lock, [this] { return !hang_; });
    return function();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool hang_ = false;
  MemoryLease lease_;
};

// What the callbacks said, to be waited for.
struct Diary {
  void Write(const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
    changed.notify_all();
  }
  bool Await(const std::string& line) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, seconds(10), [&] { return std::find(lines.begin(), lines.end(), line) != lines.end(); });
  }
  LeaderElection::Callbacks Callbacks() {
    return {[this] { Write("started"); }, [this] { Write("stopped"); }, [this](const std::string& who) { Write(StrCat("leader ", who)); }};
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> lines;
};

LeaderOptions Fast(std::string identity, milliseconds renew_deadline) {
  return {
      .identity = std::move(identity), .lease_duration = seconds(20), .renew_deadline = renew_deadline, .retry_period = milliseconds(10)};
}

TEST(LeaderElection, HandsOverWhenItIsStoppedAndNotBeforeTheWorkHasStopped) {
  TestStore store;
  SystemRandom random;
  Diary diary;
  LeaderElection::Callbacks callbacks = diary.Callbacks();
  std::string holder_at_stop;
  callbacks.stopped = [&] { holder_at_stop = store.record().holder, diary.Write("stopped"); };
  LeaderElection first(store, Fast("a", seconds(10)), random, callbacks);
  first.Start();
  ASSERT_TRUE(diary.Await("leader a"));
  EXPECT_TRUE(first.leading());
  Diary other;
  LeaderElection second(store, Fast("b", seconds(10)), random, other.Callbacks());
  second.Start();
  ASSERT_TRUE(other.Await("leader a"));
  EXPECT_FALSE(second.leading());
  first.Stop();
  EXPECT_FALSE(first.leading());
  EXPECT_THAT(diary.lines, ElementsAre("started", "leader a", "stopped"));
  EXPECT_EQ(holder_at_stop, "a");
  ASSERT_TRUE(other.Await("started"));
  ASSERT_TRUE(other.Await("leader b"));
  EXPECT_EQ(second.leader(), "b");
  second.Stop();
  EXPECT_EQ(store.record().holder, "");
  EXPECT_EQ(store.record().duration_seconds, 1);
}

TEST(LeaderElection, SaysStoppedThoughTheCallToTheServerHangs) {
  TestStore store;
  SystemRandom random;
  Diary diary;
  LeaderElection election(store, Fast("a", milliseconds(300)), random, diary.Callbacks());
  election.Start();
  ASSERT_TRUE(diary.Await("started"));
  store.Hang(true);
  ASSERT_TRUE(diary.Await("stopped"));
  EXPECT_FALSE(election.leading());
  EXPECT_EQ(store.record().holder, "a");  // and nobody else has it yet
  store.Hang(false);
  election.Stop();
}

TEST(KubeLease, UpdatesWithTheVersionThatItSawAndLeavesOtherFieldsAlone) {
  const std::string lease = R"({"metadata":{"name":"x","namespace":"n","uid":"u","resourceVersion":"41","labels":{"l":"1"}},"spec":{)"
                            R"("holderIdentity":"other","leaseDurationSeconds":15,"leaseTransitions":3,"renewTime":"r","acquireTime":"t",)"
                            R"("preferredHolder":"p","strategy":"OldestEmulationVersion"}})";
  std::string sent;
  const auto answer = [&](http::Peer& peer) {
    sent = peer.ReadUntil("}}");
    peer.Send(StrCat("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ", lease.size(), "\r\n\r\n", lease));
  };
  const auto get = [&](http::Peer& peer) {
    EXPECT_THAT(peer.Answer(StrCat("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ", lease.size(), "\r\n\r\n", lease)),
                HasSubstr("GET /apis/coordination.k8s.io/v1/namespaces/n/leases/x "));
  };
  http::ScriptedServer server({get, answer});
  Config config;
  config.server = StrCat("http://127.0.0.1:", server.port());
  const auto client = *Client::Make(std::move(config));
  KubeLease store(*client, "n", "x");
  ASSERT_OK_AND_ASSIGN(LeaseRecord record, store.Get({}));
  EXPECT_EQ(record.holder, "other");
  EXPECT_EQ(record.transitions, 3);
  record.holder = "me";
  ASSERT_OK(store.Update(record, {}));
  EXPECT_THAT(sent, HasSubstr("PUT /apis/coordination.k8s.io/v1/namespaces/n/leases/x "));
  EXPECT_THAT(sent, HasSubstr(R"("labels":{"l":"1"},"name":"x","namespace":"n","resourceVersion":"41"})"));
  EXPECT_THAT(sent,
              HasSubstr(R"("preferredHolder":"p","strategy":"OldestEmulationVersion","holderIdentity":"me","leaseDurationSeconds":15,)"
                        R"("acquireTime":"t","renewTime":"r","leaseTransitions":3}})"));
}

}  // namespace
}  // namespace allot::kube
