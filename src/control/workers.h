#pragma once
// A few threads that do jobs. Jobs that have a key in common are done one after the other, in the order in which they came; all others at
// the same time, first come, first served.
//
// Thread-safe.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace allot::control {

class Workers {
 public:
  explicit Workers(int threads);
  ~Workers() { Stop(); }

  void Add(std::vector<std::string> keys, std::function<void()> job);
  // Jobs that have not begun are dropped, and no more are taken. Waits for those that have, but for no longer than `most`; false: some are
  // not done yet.
  bool Finish(std::chrono::nanoseconds most);
  // The same, for as long as it takes. Returns when the threads have ended.
  void Stop();

 private:
  struct Job {
    std::vector<std::string> keys;
    std::function<void()> run;
  };

  void Work();
  std::optional<Job> TakeReady();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::set<std::string> busy_;  // keys of jobs that are being done
  int running_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace allot::control
