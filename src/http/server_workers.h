#pragma once
// The threads that run handlers. Internal to the server.
//
// A job is given to the thread that became idle last: its memory is warm, and threads that are needed only at times stay small.

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

  // Whether Post may be called. True stays true until the only thread that posts does so.
  bool HasRoom() const;
  void Post(Job job);

  // Drops the jobs that wait, and those that come.
  void Close();
  // Closes, and returns when the running jobs are done. Again: does nothing. One thread at a time.
  void Stop();

 private:
  struct Worker {
    void Call(std::optional<Job> next);

    std::mutex mutex;
    std::condition_variable called;
    bool is_called = false;
    std::optional<Job> job;  // nothing, when it is called: the end has come
  };

  void Run(Worker& self);
  // What to do next; nothing: end.
  std::optional<Job> Next(Worker& self);

  const Handler handler_;
  const size_t max_waiting_;
  mutable std::mutex mutex_;
  std::deque<Job> waiting_;    // for a worker: nobody is idle then
  std::vector<Worker*> idle_;  // the last to become so is the last
  bool closed_ = false;
  std::deque<Worker> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace allot::http
