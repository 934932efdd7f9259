#include "kube/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/fake_clock.h"
#include "base/random.h"
#include "base/strings.h"

namespace allot::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class QueueStateTest : public testing::Test {
 protected:
  MonotonicTime now() const { return clock_.MonotonicNow(); }
  // Takes all that is there.
  std::vector<std::string> TakeAll() {
    std::vector<std::string> keys;
    while (const auto key = queue_.Take(now())) keys.push_back(*key);
    return keys;
  }
  void DoneWith(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) queue_.Done(key);
  }

  FakeClock clock_;
  QueueState queue_{QueueOptions()};
};

TEST_F(QueueStateTest, FirstComeFirstServed) {
  for (const char* key : {"c", "a", "b"}) queue_.Add(key);
  EXPECT_EQ(queue_.size(), 3u);
  EXPECT_THAT(TakeAll(), ElementsAre("c", "a", "b"));
}

TEST_F(QueueStateTest, AddedTwiceWhileWaitingComesOnceAndKeepsItsPlace) {
  for (const char* key : {"a", "b", "a"}) queue_.Add(key);
  EXPECT_THAT(TakeAll(), ElementsAre("a", "b"));
}

TEST_F(QueueStateTest, AddedWhileWorkedOnComesAgainAfterwardsOnce) {
  queue_.Add("a");
  ASSERT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Add("a");
  queue_.Add("a");
  EXPECT_THAT(TakeAll(), IsEmpty());  // one worker at a time
  queue_.Done("a");
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Done("a");
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(QueueStateTest, ADelayedKeyComesWhenItIsDueAndNotBefore) {
  queue_.AddAfter("late", seconds(10), now());
  queue_.AddAfter("soon", seconds(1), now());
  queue_.AddAfter("now", seconds(0), now());
  EXPECT_THAT(TakeAll(), ElementsAre("now"));
  EXPECT_EQ(queue_.next_due(), now() + seconds(1));
  clock_.Advance(seconds(1) - nanoseconds(1));
  EXPECT_THAT(TakeAll(), IsEmpty());
  clock_.Advance(nanoseconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("soon"));
  clock_.Advance(hours(1));
  EXPECT_THAT(TakeAll(), ElementsAre("late"));
  EXPECT_EQ(queue_.next_due(), std::nullopt);
}

TEST_F(QueueStateTest, OfTwoDelaysTheEarlierCounts) {
  queue_.AddAfter("a", seconds(5), now());
  queue_.AddAfter("a", seconds(9), now());
  queue_.AddAfter("b", seconds(9), now());
  queue_.AddAfter("b", seconds(5), now());
  EXPECT_EQ(queue_.Metrics(now()).delayed, 2u);
  clock_.Advance(seconds(5));
  EXPECT_THAT(TakeAll(), ElementsAre("a", "b"));
  clock_.Advance(seconds(5));
  DoneWith({"a", "b"});
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(QueueStateTest, PausesDoubleForEachKeyUntilItIsForgotten) {
  std::vector<nanoseconds> pauses;
  for (int i = 0; i < 4; ++i) pauses.push_back(queue_.Retry("a", now()));
  EXPECT_THAT(pauses, ElementsAre(milliseconds(5), milliseconds(10), milliseconds(20), milliseconds(40)));
  EXPECT_EQ(queue_.Retry("b", now()), milliseconds(5));
  EXPECT_EQ(queue_.retries("a"), 4);
  queue_.Forget("a");
  EXPECT_EQ(queue_.retries("a"), 0);
  EXPECT_EQ(queue_.Retry("a", now()), milliseconds(5));
  EXPECT_EQ(queue_.Metrics(now()).retries, 6u);
}

TEST_F(QueueStateTest, PausesEndAtTheLongestHoweverOftenAKeyFails) {
  for (int i = 0; i < 2000; ++i) {
    queue_.Retry("a", now());
    clock_.Advance(seconds(1));  // keeps below the overall limit
  }
  EXPECT_EQ(queue_.Retry("a", now()), seconds(1000));
}

TEST_F(QueueStateTest, ManyKeysThatFailAtOnceAreSpreadByTheOverallLimit) {
  nanoseconds last{0};
  for (int i = 0; i < 150; ++i) last = queue_.Retry(StrCat("k", i), now());
  EXPECT_EQ(std::chrono::round<milliseconds>(last), seconds(5));  // 100 at once, then 10 a second
  clock_.Advance(seconds(1));
  EXPECT_EQ(TakeAll().size(), 110u);
}

TEST_F(QueueStateTest, AKeyThatFailsAllTheTimeDoesNotHoldUpTheOthersForLong) {
  QueueOptions options;
  options.longest_pause = seconds(30);
  QueueState queue(options);
  for (int i = 0; i < 100'000; ++i) EXPECT_LE(queue.Retry("hot", now()), seconds(30));
  EXPECT_LE(queue.Retry("other", now()), seconds(30));
  clock_.Advance(seconds(31));
  EXPECT_EQ(queue.Retry("another", now()), milliseconds(5));
}

TEST_F(QueueStateTest, AfterAShutDownWithoutDrainingNoKeyComesOut) {
  for (const char* key : {"a", "b"}) queue_.Add(key);
  ASSERT_EQ(queue_.Take(now()), "a");
  queue_.Add("a");
  queue_.AddAfter("c", seconds(1), now());
  queue_.ShutDown(Drain::kNo);
  EXPECT_TRUE(queue_.finished());
  queue_.Done("a");
  queue_.Add("d");
  EXPECT_EQ(queue_.Retry("a", now()), nanoseconds(0));
  clock_.Advance(hours(1));
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(QueueStateTest, DrainingGivesOutWhatWaitsAndWhatComesAgain) {
  for (const char* key : {"a", "b"}) queue_.Add(key);
  ASSERT_EQ(queue_.Take(now()), "a");
  queue_.Add("a");
  queue_.AddAfter("c", seconds(1), now());
  queue_.ShutDown(Drain::kYes);
  queue_.Add("d");
  EXPECT_THAT(TakeAll(), ElementsAre("b"));
  EXPECT_FALSE(queue_.finished());  // a comes again
  queue_.Done("a");
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  EXPECT_TRUE(queue_.finished());
  clock_.Advance(hours(1));
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(QueueStateTest, MetricsTellWhatWaitsAndWhatRunsLong) {
  for (const char* key : {"a", "b", "c"}) queue_.Add(key);
  ASSERT_EQ(queue_.Take(now()), "a");
  clock_.Advance(seconds(7));
  ASSERT_EQ(queue_.Take(now()), "b");
  clock_.Advance(seconds(2));
  const QueueMetrics metrics = queue_.Metrics(now());
  EXPECT_EQ(metrics.depth, 1u);
  EXPECT_EQ(metrics.running, 2u);
  EXPECT_EQ(metrics.longest_running, seconds(9));
  queue_.Done("a");
  EXPECT_EQ(queue_.Metrics(now()).longest_running, seconds(2));
}

TEST_F(QueueStateTest, InRandomUseNoKeyIsLostAndNoneIsTakenTwice) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SeededRandom random(seed);
    QueueState queue{QueueOptions()};
    std::unordered_set<std::string> running, owed;  // owed: must come out by itself
    for (int step = 0; step < 2000; ++step) {
      const std::string key = StrCat(random.Below(12));
      switch (random.Below(4)) {
        case 0: queue.Add(key), owed.insert(key); break;
        case 1: queue.AddAfter(key, milliseconds(random.Below(50)), now()), owed.insert(key); break;
        case 2:
          if (const auto taken = queue.Take(now())) {
            ASSERT_TRUE(running.insert(*taken).second) << "seed " << seed;
            owed.erase(*taken);
          }
          break;
        default:
          if (running.erase(key) == 1) queue.Done(key);
      }
      clock_.Advance(milliseconds(random.Below(5)));
    }
    for (const std::string& key : running) queue.Done(key);
    clock_.Advance(seconds(1));
    while (const auto key = queue.Take(now())) owed.erase(*key), queue.Done(*key);
    EXPECT_THAT(owed, IsEmpty()) << "seed " << seed;
    EXPECT_EQ(queue.next_due(), std::nullopt);
  }
}

TEST(Queue, WorkersShareTheKeysAndEndWithTheDrain) {
  Queue queue;
  constexpr int kKeys = 200;
  std::vector<std::atomic<int>> busy(kKeys), done(kKeys);
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (const auto key = queue.Take()) {
        const auto k = static_cast<size_t>(std::stoi(*key));
        if (++busy[k] != 1) overlapped = true;
        ++done[k];
        --busy[k];
        if (done[k] < 3) queue.Add(*key);
        queue.Done(*key);
      }
    });
  }
  for (int i = 0; i < kKeys; ++i) i % 2 == 0 ? queue.Add(StrCat(i)) : queue.AddAfter(StrCat(i), milliseconds(1));
  // All delayed keys are in, as a drain leaves those out.
  while (queue.Metrics().delayed > 0) std::this_thread::yield();
  queue.ShutDown(Drain::kYes);
  for (std::thread& worker : workers) worker.join();
  EXPECT_FALSE(overlapped);
  for (const auto& count : done) EXPECT_GE(count, 1);
}

TEST(Queue, AWaitingWorkerGetsAKeyThatBecomesDueWhileTheOthersWork) {
  Queue queue;
  const Patience patience{std::chrono::steady_clock::now() + seconds(10), nullptr};
  std::optional<std::string> first, second;
  std::thread a([&] { first = queue.Take(patience); }), b([&] { second = queue.Take(patience); });
  queue.AddAfter("later", milliseconds(20));
  queue.Add("now");
  a.join();
  b.join();  // although no key is done
  EXPECT_TRUE((first == "now" && second == "later") || (first == "later" && second == "now"));
}

TEST(Queue, TakeEndsWithThePatience) {
  Queue queue;
  EXPECT_EQ(queue.Take({std::chrono::steady_clock::now() + milliseconds(5), nullptr}), std::nullopt);
  Cancel cancel;
  std::thread taker([&] { EXPECT_EQ(queue.Take({std::nullopt, &cancel}), std::nullopt); });
  cancel.Request();
  taker.join();
  std::thread other([&] { EXPECT_EQ(queue.Take(), std::nullopt); });
  queue.ShutDown();
  other.join();
}

}  // namespace
}  // namespace allot::kube
