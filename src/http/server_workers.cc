#include "http/server_workers.h"

#include <utility>

#include "base/check.h"

namespace allot::http {

Workers::Workers(int threads, size_t max_waiting, Handler handler)
    : handler_(std::move(handler)), max_waiting_(max_waiting), workers_(static_cast<size_t>(threads)) {
  CHECK(threads > 0);
  for (Worker& worker : workers_) threads_.emplace_back([this, &worker] { Run(worker); });
}

bool Workers::HasRoom() const {
  const std::lock_guard lock(mutex_);
  return !closed_ && waiting_.size() < max_waiting_;
}

// Notifies after releasing the lock, so the woken thread need not wait for it.
void Workers::Worker::Call(std::optional<Job> next) {
  {
    const std::lock_guard lock(mutex);
    job = std::move(next);
    is_called = true;
  }
  called.notify_one();
}

void Workers::Post(Job job) {
  Worker* worker = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    if (idle_.empty()) {
      waiting_.push_back(std::move(job));
      return;
    }
    worker = idle_.back();
    idle_.pop_back();
  }
  worker->Call(std::move(job));
}

void Workers::Close() {
  std::deque<Job> dropped;  // destroyed after the lock is released: releasing a writer answers its request
  const std::lock_guard lock(mutex_);
  closed_ = true;
  waiting_.swap(dropped);
  for (Worker* worker : idle_) worker->Call(std::nullopt);
  idle_.clear();
}

void Workers::Stop() {
  Close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::optional<Job> Workers::Next(Worker& self) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return std::nullopt;
    if (!waiting_.empty()) {
      Job job = std::move(waiting_.front());
      waiting_.pop_front();
      return job;
    }
    idle_.push_back(&self);
  }
  std::unique_lock lock(self.mutex);
  self.called.wait(lock, [&] { return self.is_called; });
  self.is_called = false;
  return std::exchange(self.job, std::nullopt);
}

void Workers::Run(Worker& self) {
  while (std::optional<Job> job = Next(self)) handler_(job->context, std::move(job->writer));
}

}  // namespace allot::http
