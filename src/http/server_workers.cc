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
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    waiting_.push_back(std::move(job));
  }
  ready_.notify_one();
}

void Workers::Close() {
  std::deque<Job> dropped;  // after the lock: letting go of a writer answers its request
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting_.swap(dropped);
  }
  ready_.notify_all();
}

void Workers::Stop() {
  Close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Workers::Run() {
  for (;;) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (closed_) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    handler_(job.context, std::move(job.writer));
  }
}

}  // namespace allot::http
