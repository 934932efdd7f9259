#include "control/workers.h"

#include <algorithm>

namespace allot::control {

Workers::Workers(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

void Workers::Add(std::vector<std::string> keys, std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (stop_) return;
  jobs_.push_back({std::move(keys), std::move(job)});
  changed_.notify_one();
}

bool Workers::Finish(std::chrono::nanoseconds most) {
  std::unique_lock lock(mutex_);
  stop_ = true;
  jobs_.clear();
  changed_.notify_all();
  return changed_.wait_for(lock, most, [this] { return running_ == 0; });
}

void Workers::Stop() {
  Finish(std::chrono::nanoseconds(0));
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

// The first job that shares no key with a running job or with a job ahead of it.
std::optional<Workers::Job> Workers::TakeReady() {
  std::set<std::string_view> ahead;
  for (auto at = jobs_.begin(); at != jobs_.end(); ++at) {
    const auto taken = [&](const std::string& key) { return busy_.contains(key) || ahead.contains(key); };
    if (std::none_of(at->keys.begin(), at->keys.end(), taken)) {
      Job job = std::move(*at);
      jobs_.erase(at);
      return job;
    }
    ahead.insert(at->keys.begin(), at->keys.end());
  }
  return std::nullopt;
}

void Workers::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::optional<Job> job;
    changed_.wait(lock, [&] { return stop_ || (job = TakeReady()).has_value(); });
    if (!job) return;
    busy_.insert(job->keys.begin(), job->keys.end());
    ++running_;
    lock.unlock();
    job->run();
    job->run = nullptr;  // destroys what the job captured, outside the lock
    lock.lock();
    --running_;
    for (const std::string& key : job->keys) busy_.erase(key);
    changed_.notify_all();  // for jobs that wait for these keys
  }
}

}  // namespace allot::control
