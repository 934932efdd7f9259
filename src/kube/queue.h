#pragma once
// A queue of keys to process: changed keys go in, workers take them out, and failed keys come again later.
//
// Promises:
//   1. one worker at a time processes a key, from Take to Done;
//   2. a key added while it is processed comes again afterwards; a key added twice while it waits comes once;
//   3. keys come in the order of their addition; a delayed key is added when it is due;
//   4. every added key comes out, unless the queue is shut down.
//
//   while (const std::optional<std::string> key = queue.Take()) {
//     if (Sync(*key).ok()) queue.Forget(*key); else queue.Retry(*key);
//     queue.Done(*key);
//   }

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/clock.h"
#include "http/dial.h"
#include "kube/rate_limit.h"

namespace allot::kube {

struct QueueOptions {
  // The pause before a key's next try; doubles with each Retry until Forget.
  std::chrono::nanoseconds first_pause = std::chrono::milliseconds(5), longest_pause = std::chrono::seconds(1000);
  // For all keys together. The longer of the two pauses counts, and none exceeds longest_pause.
  double retries_per_second = 10;  // on average; 0: no limit
  int retry_burst = 100;           // retries at once
};

struct QueueMetrics {
  size_t depth = 0;    // keys that are ready
  size_t delayed = 0;  // keys that are due later
  size_t running = 0;  // keys being processed
  uint64_t retries = 0;
  std::chrono::nanoseconds longest_running{0};
};

enum class Drain {
  kNo,   // nothing comes out any more
  kYes,  // ready keys come out, and keys added again while being processed; delayed keys do not
};

// The queue without threads: the caller passes the time, which never goes back. Not thread-safe.
class QueueState {
 public:
  explicit QueueState(QueueOptions options) : options_(options), limit_(options.retries_per_second, options.retry_burst) {}

  void Add(const std::string& key);
  // If the key is already delayed, the earlier time counts.
  void AddAfter(const std::string& key, std::chrono::nanoseconds delay, MonotonicTime now);
  // AddAfter with a growing pause. Returns the pause.
  std::chrono::nanoseconds Retry(const std::string& key, MonotonicTime now);
  // Resets the pause of the key's next Retry.
  void Forget(const std::string& key) { failures_.erase(key); }
  // How often the key was retried since Forget.
  int retries(const std::string& key) const;

  // Returns nullopt if no key is ready.
  std::optional<std::string> Take(MonotonicTime now);
  // REQUIRES: the key was taken and is not done.
  void Done(const std::string& key);
  // When the next delayed key is due; nullopt if there is none.
  std::optional<MonotonicTime> next_due() const;

  void ShutDown(Drain drain);
  // No key will come any more.
  bool finished() const { return shut_down_ && ready_.empty() && again_.empty(); }

  size_t size() const { return ready_.size(); }
  QueueMetrics Metrics(MonotonicTime now) const;

 private:
  using Due = std::pair<MonotonicTime, uint64_t>;  // the sequence number orders keys due at the same time

  const QueueOptions options_;
  RateLimit limit_;
  bool shut_down_ = false;
  std::deque<std::string> ready_;
  std::unordered_set<std::string> waiting_;                 // the keys of ready_
  std::unordered_map<std::string, MonotonicTime> running_;  // with the start time
  std::unordered_set<std::string> again_;                   // keys of running_ that were added again
  std::map<Due, std::string> delayed_;
  std::unordered_map<std::string, Due> due_;  // the keys of delayed_
  uint64_t sequence_ = 0;
  std::unordered_map<std::string, int> failures_;
  uint64_t retries_ = 0;
};

// The queue for threads, on the steady clock. Thread-safe.
class Queue {
 public:
  explicit Queue(QueueOptions options = {}) : state_(options) {}

  void Add(const std::string& key);
  void AddAfter(const std::string& key, std::chrono::nanoseconds delay);
  std::chrono::nanoseconds Retry(const std::string& key);
  void Forget(const std::string& key);
  int retries(const std::string& key) const;

  // Waits for a key. Returns nullopt after shutdown, or if the patience ended.
  std::optional<std::string> Take(const Patience& patience = {});
  void Done(const std::string& key);

  // Ends all waiting and returns at once. New keys are ignored from now on. kNo may follow kYes, but not the reverse.
  void ShutDown(Drain drain = Drain::kNo);

  size_t size() const;
  QueueMetrics Metrics() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  QueueState state_;
};

}  // namespace allot::kube
