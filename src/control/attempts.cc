#include "control/attempts.h"

#include <algorithm>

namespace allot::control {

MonotonicTime Pause::Begin(const PauseOptions& options, MonotonicTime now) {
  until_ = now + std::min(options.longest, options.first * (1 << std::min(failures_, 16)));
  ++failures_;
  return *until_;
}

bool Pause::EndIfOver(MonotonicTime now) {
  if (!until_ || *until_ > now) return false;
  until_.reset();
  return true;
}

Attempt* Attempts::Find(std::string_view uid) {
  const auto at = attempts_.find(uid);
  return at == attempts_.end() ? nullptr : &at->second;
}

Attempt& Attempts::Of(const sched::Pod& pod) {
  Attempt& attempt = attempts_[std::string(pod.pod.uid)];
  if (attempt.uid.empty()) {
    attempt.pod = pod.key;
    attempt.uid = pod.pod.uid;
  }
  return attempt;
}

void Attempts::BeginJob(Attempt& attempt, const std::vector<std::string>& claims) {
  ++attempt.jobs;
  for (const std::string& claim : claims) ++busy_[claim].jobs;
}

bool Attempts::EndJob(Attempt& attempt, const std::vector<std::string>& claims) {
  --attempt.jobs;
  bool decide_again = false;
  for (const std::string& claim : claims) {
    const auto at = busy_.find(claim);
    if (--at->second.jobs > 0) continue;
    decide_again = decide_again || at->second.decide_again;
    busy_.erase(at);
  }
  return decide_again;
}

void Attempts::Begin(Attempt& attempt, Pause& pause, MonotonicTime now) { due_.emplace(pause.Begin(options_, now), attempt.uid); }

std::vector<Attempt*> Attempts::TakeDue(MonotonicTime now) {
  std::vector<Attempt*> due;
  while (!due_.empty() && due_.begin()->first <= now) {
    Attempt* const attempt = Find(due_.begin()->second);
    if (attempt != nullptr && std::find(due.begin(), due.end(), attempt) == due.end()) due.push_back(attempt);
    due_.erase(due_.begin());
  }
  return due;
}

std::optional<MonotonicTime> Attempts::next() const { return due_.empty() ? std::nullopt : std::optional(due_.begin()->first); }

void Attempts::Close(Attempt& attempt) {
  attempt.over = true;
  attempt.node.clear();
  attempt.refused.Reset();
  attempt.claim.Reset();
  EraseIfDone(attempt);
}

void Attempts::EraseIfDone(Attempt& attempt) {
  if (attempt.over && attempt.jobs == 0 && attempt.placed == nullptr) attempts_.erase(attempts_.find(attempt.uid));
}

}  // namespace allot::control
