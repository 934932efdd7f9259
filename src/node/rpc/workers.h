#pragma once
// The threads that run handlers: made when calls wait, ended when there were none for a while. Internal to the server.

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "node/rpc/exchange.h"

namespace allot::node::rpc {

struct WorkerOptions {
  size_t max_threads = 64;
  size_t max_waiting = 1024;              // calls that wait for a thread
  size_t stack_bytes = 256 << 10;         // of each thread
  std::chrono::milliseconds idle{5'000};  // after which a thread without work ends
};

// Post, Reap and Stop by one thread at a time.
class Workers {
 public:
  // `on_ended` is called by each thread that ends for want of work: somebody should Reap.
  Workers(WorkerOptions options, std::function<void()> on_ended) : options_(options), on_ended_(std::move(on_ended)) {}
  ~Workers() { Stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False: too many wait already, no thread can be had, or it is closed.
  bool Post(std::shared_ptr<Exchange> exchange);

  // Frees what threads that ended left. True: those were the last ones.
  bool Reap();

  // Drops the calls that wait, and those that come.
  void Close();
  // Closes, and returns when the running handlers are done. Again: does nothing.
  void Stop();

  size_t threads() const;
  size_t idle() const;

 private:
  static void* Main(void* self);
  void Run();
  bool Spawn();

  const WorkerOptions options_;
  const std::function<void()> on_ended_;
  mutable std::mutex mutex_;
  std::condition_variable ready_, changed_;
  std::deque<std::shared_ptr<Exchange>> waiting_;
  std::vector<pthread_t> ended_;  // to be joined
  size_t threads_ = 0, idle_ = 0;
  bool closed_ = false;
};

}  // namespace allot::node::rpc
