#pragma once
// Tells those who wait why: the condition PodScheduled of the Pod, and an Event.
//
// Promises:
//   1. nobody waits for it: what is to be told is put down, and written by a thread of its own;
//   2. a text is written once; texts that change often are written as they are every few seconds;
//   3. a Pod that was bound meanwhile is never told that it waits.
// Thread-safe.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "kube/client.h"
#include "kube/events.h"
#include "kube/rate_limit.h"

namespace allot::control {

struct News {
  std::string name_space, name, uid;  // of the Pod
  std::string reason, message;        // of the condition
  bool event = true;                  // FailedScheduling too
  bool passing = false;               // it ends by itself, as a rule at once: told only where it lasts
};

struct NewsOptions {
  std::chrono::milliseconds passing{1000};  // after so long, what should have passed is told
  std::chrono::milliseconds again{5000};    // between two texts for one Pod
  double per_second = 20;                   // writes, on average; 0: no limit
  int burst = 50;                           // that many at once
};

class WaitingNews {
 public:
  // What is known of a Pod; nullptr: it is not there.
  using FindPod = std::function<kube::ObjectPtr(const std::string& name_space, const std::string& name)>;

  // All must outlive it.
  WaitingNews(NewsOptions options, kube::Client& client, kube::EventRecorder& events, FindPod find, const Clock& clock);
  ~WaitingNews() { Stop(); }

  // All who wait now. Others are not told anything any more.
  void Set(std::vector<News> all);
  void Stop();

 private:
  struct Entry {
    News news;
    std::string told;          // reason and message; empty: nothing yet
    MonotonicTime not_before;  // after the last text
    std::optional<MonotonicTime> due;
  };

  void Schedule(const std::string& key, Entry& entry, std::optional<MonotonicTime> due);
  void Run();
  // Nothing: done. Else: look again after this time.
  std::optional<std::chrono::milliseconds> Tell(const News& news);

  const NewsOptions options_;
  kube::Client& client_;
  kube::EventRecorder& events_;
  const FindPod find_;
  const Clock& clock_;
  kube::RateLimit limit_;
  Cancel stop_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::map<std::string, Entry> entries_;                 // by the Pod's uid
  std::set<std::pair<MonotonicTime, std::string>> due_;  // of entries_
  std::thread thread_;
};

}  // namespace allot::control
