#pragma once
// The threads that run handlers. They start when calls wait, and end when there were none for a while. Internal to the server.

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

// One thread at a time may call Post, Reap and Stop.
class Workers {
 public:
  // A thread that ends without work calls `on_ended`; Reap should be called after it.
  Workers(WorkerOptions options, std::function<void()> on_ended) : options_(options), on_ended_(std::move(on_ended)) {}
  ~Workers() { Stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False: too many calls wait, no thread can be made, or the workers are closed.
  bool Post(std::shared_ptr<Exchange> exchange);

  // Joins threads that ended. True: none is left.
  bool Reap();

  // Drops the calls that wait, and refuses new ones.
  void Close();
  // Closes, and returns when the running handlers have returned. Further calls do nothing.
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
