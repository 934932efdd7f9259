#pragma once
// Writes why Pods wait: the condition PodScheduled of the Pod, and an Event.
//
// Promises:
//   1. Set never waits for the API: a thread writes;
//   2. each text is written once, and a Pod gets at most one text every few seconds;
//   3. a Pod that is bound in the meantime never gets a condition that says that it waits.
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
  bool event = true;                  // also write an Event, FailedScheduling
  bool passing = false;               // usually ends by itself at once; written only if it lasts
  bool never = false;                 // the Pod can never start: kNeverFitsCondition (sched/conditions.h)
};

struct NewsOptions {
  std::chrono::milliseconds passing{1000};  // how long passing news must last to be written
  std::chrono::milliseconds again{5000};    // between two texts for one Pod
  double per_second = 20;                   // writes, on average; 0: no limit
  int burst = 50;                           // writes at once
};

class WaitingNews {
 public:
  // The latest known version of the Pod; nullptr: it does not exist.
  using FindPod = std::function<kube::ObjectPtr(const std::string& name_space, const std::string& name)>;

  // All references must outlive this object.
  WaitingNews(NewsOptions options, kube::Client& client, kube::EventRecorder& events, FindPod find, const Clock& clock);
  ~WaitingNews() { Stop(); }

  // Takes the news of all Pods that wait now. A Pod that is not among them any more loses kNeverFitsCondition.
  void Set(std::vector<News> all);
  void Stop();

 private:
  struct Entry {
    News news;
    std::string told;          // the TextOf the news that was written last; empty: none
    bool waits = true;         // false: the Pod no longer waits; only its kNeverFitsCondition is left to remove
    MonotonicTime not_before;  // the earliest time of the next text
    std::optional<MonotonicTime> due;
  };

  void Schedule(const std::string& key, Entry& entry, std::optional<MonotonicTime> due);
  void Run();
  // Both return nullopt when done, else the time after which to try again.
  std::optional<std::chrono::milliseconds> Tell(const News& news);
  std::optional<std::chrono::milliseconds> RemoveNeverFits(const News& news);

  const NewsOptions options_;
  kube::Client& client_;
  kube::EventRecorder& events_;
  const FindPod find_;
  const Clock& clock_;
  kube::RateLimit limit_;
  Cancel stop_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::map<std::string, Entry> entries_;                 // by the Pod's uid
  std::set<std::pair<MonotonicTime, std::string>> due_;  // of entries_
  std::thread thread_;
};

}  // namespace allot::control
