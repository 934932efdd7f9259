#pragma once
// A queue of keys to work on: what changed goes in, workers take it out, and what failed comes again later.
//
// Promises:
//   1. a key is worked on by one worker at a time, from Take to Done;
//   2. a key that is added while it is worked on comes again afterwards; added twice while it waits, it comes once;
//   3. first come, first served; a key that is due at some time comes behind those that waited before that time;
//   4. nothing is lost: a key that was added comes out, unless the queue is shut down.
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
  // How long a key waits for its next try: doubles with each Retry until Forget.
  std::chrono::nanoseconds first_pause = std::chrono::milliseconds(5), longest_pause = std::chrono::seconds(1000);
  // Of all keys together; the longer of the two pauses counts, and none is longer than longest_pause.
  double retries_per_second = 10;  // on average; 0: no limit
  int retry_burst = 100;           // that many at once
};

struct QueueMetrics {
  size_t depth = 0;    // keys that could be taken now
  size_t delayed = 0;  // keys that are due later
  size_t running = 0;  // keys that are worked on
  uint64_t retries = 0;
  std::chrono::nanoseconds longest_running{0};
};

enum class Drain {
  kNo,   // nothing comes out any more
  kYes,  // what waits now comes out, and what was added while it is worked on; what is due later does not
};

// The queue without threads: the caller says what time it is. Time never goes back. Not thread-safe.
class QueueState {
 public:
  explicit QueueState(QueueOptions options) : options_(options), limit_(options.retries_per_second, options.retry_burst) {}

  void Add(const std::string& key);
  // Of a key that is due already, the earlier time counts.
  void AddAfter(const std::string& key, std::chrono::nanoseconds delay, MonotonicTime now);
  // AddAfter with the pause that it gives back.
  std::chrono::nanoseconds Retry(const std::string& key, MonotonicTime now);
  // The next Retry of the key has the first pause again.
  void Forget(const std::string& key) { failures_.erase(key); }
  // How often the key was retried since it was forgotten.
  int retries(const std::string& key) const;

  // Nothing: no key is there now.
  std::optional<std::string> Take(MonotonicTime now);
  // REQUIRES a key that was taken and is not done.
  void Done(const std::string& key);
  // When the next key is due; nothing: only an Add or a Done can bring one.
  std::optional<MonotonicTime> next_due() const;

  void ShutDown(Drain drain);
  // No key will come any more.
  bool finished() const { return shut_down_ && ready_.empty() && again_.empty(); }

  size_t size() const { return ready_.size(); }
  QueueMetrics Metrics(MonotonicTime now) const;

 private:
  using Due = std::pair<MonotonicTime, uint64_t>;  // those of one moment in the order in which they came

  const QueueOptions options_;
  RateLimit limit_;
  bool shut_down_ = false;
  std::deque<std::string> ready_;
  std::unordered_set<std::string> waiting_;                 // the keys of ready_
  std::unordered_map<std::string, MonotonicTime> running_;  // and since when
  std::unordered_set<std::string> again_;                   // keys of running_ that were added since
  std::map<Due, std::string> delayed_;
  std::unordered_map<std::string, Due> due_;  // the keys of delayed_
  uint64_t sequence_ = 0;
  std::unordered_map<std::string, int> failures_;
  uint64_t retries_ = 0;
};

// The queue for threads, by the steady clock. Thread-safe.
class Queue {
 public:
  explicit Queue(QueueOptions options = {}) : state_(options) {}

  void Add(const std::string& key);
  void AddAfter(const std::string& key, std::chrono::nanoseconds delay);
  std::chrono::nanoseconds Retry(const std::string& key);
  void Forget(const std::string& key);
  int retries(const std::string& key) const;

  // Waits for a key. Nothing: shut down, or out of patience.
  std::optional<std::string> Take(const http::Patience& patience = {});
  void Done(const std::string& key);

  // Ends all waiting; returns at once. New keys are passed over from now on. After a drain, kNo may follow, not the other way round.
  void ShutDown(Drain drain = Drain::kNo);

  size_t size() const;
  QueueMetrics Metrics() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  QueueState state_;
};

}  // namespace allot::kube
