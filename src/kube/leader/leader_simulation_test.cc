// Elections among candidates with clocks of their own, over a network that loses and delays.

#include <algorithm>
#include <memory>
#include <vector>

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "kube/leader/leader_test_lease.h"

namespace allot::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using Kind = Elector::Action::Kind;

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
    // No other process may act when it is released.
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
  EXPECT_GT(led_steps, 600'000);  // of 2,000,000: an election without any leader would not prove safety
  EXPECT_GT(changes, 2'000);
}

TEST(Election, TheSimulationNoticesClocksThatDifferByMoreThanPromised) {
  int unsafe = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) unsafe += Simulation(seed, 0.25).Run(10'000) ? 0 : 1;
  EXPECT_GT(unsafe, 0);
}

}  // namespace
}  // namespace allot::kube
