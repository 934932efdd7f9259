#include "control/workers.h"

#include <atomic>
#include <latch>

#include "base/test_util.h"

namespace allot::control {
namespace {

TEST(Workers, JobsWithAKeyInCommonAreDoneInOrderAndNeverTogether) {
  std::vector<int> order;  // guarded by the promise that is tested; a race is seen by the thread sanitizer
  std::latch done(50);
  Workers workers(4);
  for (int i = 0; i < 50; ++i) {
    workers.Add({"a", i % 2 == 0 ? "b" : "c"}, [&, i] {
      order.push_back(i);
      done.count_down();
    });
  }
  done.wait();
  workers.Stop();
  ASSERT_EQ(order.size(), 50u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Workers, AJobThatWaitsForItsKeyHoldsUpNoOtherJob) {
  Workers workers(2);
  std::latch other(1), end(2);
  workers.Add({"a"}, [&] {
    other.wait();  // ends only when the third job ran
    end.count_down();
  });
  workers.Add({"a"}, [&] { end.count_down(); });
  workers.Add({"b"}, [&] { other.count_down(); });
  end.wait();
}

TEST(Workers, StopDropsWhatHasNotBegun) {
  std::atomic<int> ran = 0;
  std::latch began(1), go(1);
  Workers workers(1);
  workers.Add({}, [&] {
    began.count_down();
    go.wait();
    ++ran;
  });
  workers.Add({}, [&] { ++ran; });
  began.wait();
  EXPECT_FALSE(workers.Finish(std::chrono::nanoseconds(0)));
  go.count_down();
  workers.Stop();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace allot::control
