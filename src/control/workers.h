#pragma once
// A few threads that run jobs. Jobs that share a key run one after the other, in the order of Add. All other jobs run in parallel, first
// come, first served.
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
  // Drops jobs that have not begun, and takes no more. Waits at most `most` for the running ones. False: some are still
  // running.
  bool Finish(std::chrono::nanoseconds most);
  // The same without a limit of time. Returns when the threads have ended.
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
  std::set<std::string> busy_;  // keys of running jobs
  int running_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace allot::control
