#pragma once
// The threads that run handlers. Internal to the server.
//
// A job goes to the thread that became idle last: its caches are warm, and rarely needed threads stay small.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "http/server.h"

namespace allot::http {

struct Job {
  RequestContext context;
  std::shared_ptr<ResponseWriter> writer;
};

class Workers {
 public:
  Workers(int threads, size_t max_waiting, Handler handler);
  ~Workers() { Stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Returns whether Post may be called. Only one thread posts, so true remains true until it does.
  bool HasRoom() const;
  void Post(Job job);

  // Drops waiting jobs and all later ones.
  void Close();
  // Closes and waits for running jobs. Further calls do nothing. Call from one thread at a time.
  void Stop();

 private:
  struct Worker {
    void Call(std::optional<Job> next);

    std::mutex mutex;
    std::condition_variable called;
    bool is_called = false;
    std::optional<Job> job;  // nullopt when called: the thread must end
  };

  void Run(Worker& self);
  // Returns the next job, or nullopt to end.
  std::optional<Job> Next(Worker& self);

  const Handler handler_;
  const size_t max_waiting_;
  mutable std::mutex mutex_;
  std::deque<Job> waiting_;    // jobs without a worker; not empty only if no worker is idle
  std::vector<Worker*> idle_;  // the most recently idle worker is at the back
  bool closed_ = false;
  std::deque<Worker> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace allot::http
