#include "control/intake.h"

#include <utility>

namespace allot::control {

void Intake::Put(Change change) {
  const std::lock_guard lock(mutex_);
  batch_.changes.push_back(std::move(change));
  changed_.notify_one();
}

void Intake::Put(Outcome outcome) {
  const std::lock_guard lock(mutex_);
  batch_.outcomes.push_back(std::move(outcome));
  changed_.notify_one();
}

void Intake::Put(Result<alloc::Features> features) {
  const std::lock_guard lock(mutex_);
  batch_.features = std::move(features);
  changed_.notify_one();
}

Intake::Batch Intake::Take(std::optional<std::chrono::nanoseconds> most) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return batch_.stopped || batch_.features || !batch_.changes.empty() || !batch_.outcomes.empty(); };
  if (most) {
    changed_.wait_for(lock, *most, ready);
  } else {
    changed_.wait(lock, ready);
  }
  Batch taken;
  taken.stopped = batch_.stopped;
  std::swap(taken, batch_);
  return taken;
}

void Intake::Stop() {
  const std::lock_guard lock(mutex_);
  batch_.stopped = true;
  changed_.notify_all();
}

}  // namespace allot::control
