#include "node/rpc/workers.h"

#include <utility>

#include "base/check.h"

namespace allot::node::rpc {

bool Workers::Post(std::shared_ptr<Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  if (closed_ || waiting_.size() >= options_.max_waiting) return false;
  if (waiting_.size() >= idle_ && threads_ < options_.max_threads && !Spawn() && threads_ == 0) return false;
  waiting_.push_back(std::move(exchange));
  ready_.notify_one();
  return true;
}

// Requires the lock.
bool Workers::Spawn() {
  pthread_attr_t attributes;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, options_.stack_bytes) == 0);
  pthread_t thread = {};
  const bool made = pthread_create(&thread, &attributes, Main, this) == 0;
  pthread_attr_destroy(&attributes);
  if (made) ++threads_;
  return made;
}

void* Workers::Main(void* self) {
  static_cast<Workers*>(self)->Run();
  return nullptr;
}

void Workers::Run() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (waiting_.empty()) {
      ++idle_;
      const bool work = ready_.wait_for(lock, options_.idle, [this] { return closed_ || !waiting_.empty(); });
      --idle_;
      if (!work) break;
      continue;
    }
    const std::shared_ptr<Exchange> exchange = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    exchange->Run();
    lock.lock();
  }
  --threads_;
  ended_.push_back(pthread_self());
  changed_.notify_all();
  if (!closed_) on_ended_();  // under the lock, since Stop would not wait for this call otherwise
}

bool Workers::Reap() {
  std::vector<pthread_t> ended;
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(ended_);
    last = threads_ == 0;
  }
  for (const pthread_t thread : ended) pthread_join(thread, nullptr);
  return last && !ended.empty();
}

void Workers::Close() {
  std::deque<std::shared_ptr<Exchange>> dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  closed_ = true;
  waiting_.swap(dropped);
  ready_.notify_all();
}

void Workers::Stop() {
  Close();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return threads_ == 0; });
  }
  Reap();
}

size_t Workers::idle() const {
  const std::lock_guard lock(mutex_);
  return idle_;
}

size_t Workers::threads() const {
  const std::lock_guard lock(mutex_);
  return threads_;
}

}  // namespace allot::node::rpc
