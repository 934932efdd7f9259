#include "kube/queue.h"

#include <algorithm>

#include "base/check.h"

namespace allot::kube {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

void QueueState::Add(const std::string& key) {
  if (shut_down_) return;
  if (running_.contains(key)) {
    again_.insert(key);
  } else if (waiting_.insert(key).second) {
    ready_.push_back(key);
  }
}

void QueueState::AddAfter(const std::string& key, nanoseconds delay, MonotonicTime now) {
  if (shut_down_) return;
  if (delay <= nanoseconds(0)) return Add(key);
  const Due due(now + delay, sequence_++);
  const auto known = due_.find(key);
  if (known != due_.end()) {
    if (known->second.first <= due.first) return;
    delayed_.erase(known->second);
  }
  due_[key] = due;
  delayed_.emplace(due, key);
}

nanoseconds QueueState::Retry(const std::string& key, MonotonicTime now) {
  if (shut_down_) return nanoseconds(0);
  ++retries_;
  nanoseconds pause = options_.first_pause;
  for (int i = failures_[key]++; i > 0 && pause < options_.longest_pause; --i) pause *= 2;
  pause = std::min(pause, options_.longest_pause);
  // Limit the wait, so that a key which always fails does not delay all others.
  pause = std::max(pause, limit_.Take(now, options_.longest_pause).value_or(options_.longest_pause));
  AddAfter(key, pause, now);
  return pause;
}

int QueueState::retries(const std::string& key) const {
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second;
}

std::optional<std::string> QueueState::Take(MonotonicTime now) {
  while (!delayed_.empty() && delayed_.begin()->first.first <= now) {
    const auto due = delayed_.extract(delayed_.begin());
    due_.erase(due.mapped());
    Add(due.mapped());
  }
  if (ready_.empty()) return std::nullopt;
  std::string key = std::move(ready_.front());
  ready_.pop_front();
  waiting_.erase(key);
  running_.emplace(key, now);
  return key;
}

void QueueState::Done(const std::string& key) {
  CHECK(running_.erase(key) == 1);
  if (again_.erase(key) == 0) return;
  waiting_.insert(key);
  ready_.push_back(key);
}

std::optional<MonotonicTime> QueueState::next_due() const {
  if (delayed_.empty()) return std::nullopt;
  return delayed_.begin()->first.first;
}

void QueueState::ShutDown(Drain drain) {
  shut_down_ = true;
  delayed_.clear();
  due_.clear();
  if (drain == Drain::kYes) return;
  ready_.clear();
  waiting_.clear();
  again_.clear();
}

QueueMetrics QueueState::Metrics(MonotonicTime now) const {
  QueueMetrics metrics{ready_.size(), delayed_.size(), running_.size(), retries_};
  for (const auto& [key, since] : running_) metrics.longest_running = std::max<nanoseconds>(metrics.longest_running, now - since);
  return metrics;
}

void Queue::Add(const std::string& key) {
  const std::lock_guard lock(mutex_);
  state_.Add(key);
  changed_.notify_one();
}

void Queue::AddAfter(const std::string& key, nanoseconds delay) {
  const std::lock_guard lock(mutex_);
  state_.AddAfter(key, delay, steady_clock::now());
  changed_.notify_one();
}

nanoseconds Queue::Retry(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const nanoseconds pause = state_.Retry(key, steady_clock::now());
  changed_.notify_one();
  return pause;
}

void Queue::Forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  state_.Forget(key);
}

int Queue::retries(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return state_.retries(key);
}

std::optional<std::string> Queue::Take(const Patience& patience) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const MonotonicTime now = steady_clock::now();
    if (std::optional<std::string> key = state_.Take(now)) {
      // This thread goes to work, so wake another one: for keys that are ready now, or to wait for those due later.
      if (state_.finished()) {
        changed_.notify_all();
      } else if (state_.size() > 0 || state_.next_due()) {
        changed_.notify_one();
      }
      return key;
    }
    if (state_.finished()) return std::nullopt;
    const bool cancelled = patience.cancel != nullptr && patience.cancel->requested();
    if (cancelled || (patience.deadline && now >= *patience.deadline)) {
      changed_.notify_one();  // the notification that ended this wait may have been for a key
      return std::nullopt;
    }
    std::optional<MonotonicTime> until = state_.next_due();
    const auto sooner = [&](MonotonicTime time) { until = until ? std::min(*until, time) : time; };
    if (patience.deadline) sooner(*patience.deadline);
    if (patience.cancel != nullptr) sooner(now + std::chrono::milliseconds(100));  // a Cancel does not wake a condition variable
    if (until) {
      changed_.wait_until(lock, *until);
    } else {
      changed_.wait(lock);
    }
  }
}

void Queue::Done(const std::string& key) {
  const std::lock_guard lock(mutex_);
  state_.Done(key);
  if (state_.finished()) {
    changed_.notify_all();
  } else {
    changed_.notify_one();
  }
}

void Queue::ShutDown(Drain drain) {
  const std::lock_guard lock(mutex_);
  state_.ShutDown(drain);
  changed_.notify_all();
}

size_t Queue::size() const {
  const std::lock_guard lock(mutex_);
  return state_.size();
}

QueueMetrics Queue::Metrics() const {
  const std::lock_guard lock(mutex_);
  return state_.Metrics(steady_clock::now());
}

}  // namespace allot::kube
