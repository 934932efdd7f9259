#pragma once
// The threads that run handlers. Internal to the server.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
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
  void Run();

  const Handler handler_;
  const size_t max_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Job> waiting_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace allot::http
