#pragma once
// Writes why Pods wait: the condition PodScheduled of the Pod, and an Event.
//
// Promises:
//   1. no caller waits for it: a thread of its own writes;
//   2. a text is written once; a text that changes often is written every few seconds;
//   3. a Pod that was bound meanwhile never gets a condition that says that it waits.
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
  bool never = false;                 // the Pod can never start: kNeverFitsCondition (sched/conditions.h)
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

  // All Pods that wait now. A Pod that no longer waits loses kNeverFitsCondition; nothing else is written about it.
  void Set(std::vector<News> all);
  void Stop();

 private:
  struct Entry {
    News news;
    std::string told;          // TextOf(news); empty: nothing yet
    bool waits = true;         // false: the Pod no longer waits, and its kNeverFitsCondition is to be removed
    MonotonicTime not_before;  // after the last text
    std::optional<MonotonicTime> due;
  };

  void Schedule(const std::string& key, Entry& entry, std::optional<MonotonicTime> due);
  void Run();
  // nullopt: done. Else: look again after this time.
  std::optional<std::chrono::milliseconds> Tell(const News& news);
  std::optional<std::chrono::milliseconds> RemoveNeverFits(const News& news);

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
