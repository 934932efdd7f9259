#include "http/server_workers.h"

#include <utility>

#include "base/check.h"

namespace allot::http {

Workers::Workers(int threads, size_t max_waiting, Handler handler) : handler_(std::move(handler)), max_waiting_(max_waiting) {
  CHECK(threads > 0);
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

bool Workers::HasRoom() const {
  const std::lock_guard lock(mutex_);
  return !closed_ && waiting_.size() < max_waiting_;
}

void Workers::Post(Job job) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  waiting_.push_back(std::move(job));
  if (idle_.empty()) return;
  idle_.back()->has_work = true;
  idle_.back()->called.notify_one();
  idle_.pop_back();
}

void Workers::Close() {
  std::deque<Job> dropped;  // after the lock: letting go of a writer answers its request
  const std::lock_guard lock(mutex_);
  closed_ = true;
  waiting_.swap(dropped);
  for (Idle* idle : idle_) {
    idle->has_work = true;
    idle->called.notify_one();
  }
  idle_.clear();
}

void Workers::Stop() {
  Close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::optional<Job> Workers::Next() {
  std::unique_lock lock(mutex_);
  while (!closed_ && waiting_.empty()) {
    Idle self;
    idle_.push_back(&self);
    self.called.wait(lock, [&] { return self.has_work; });
  }
  if (closed_) return std::nullopt;
  Job job = std::move(waiting_.front());
  waiting_.pop_front();
  return job;
}

void Workers::Run() {
  while (std::optional<Job> job = Next()) handler_(job->context, std::move(job->writer));
}

}  // namespace allot::http
