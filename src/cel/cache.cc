#include "cel/cache.h"

#include <mutex>

namespace allot::cel {

Result<std::shared_ptr<const Program>> Cache::Get(std::string_view expression) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = young_.find(expression); found != young_.end()) return *found->second;
  }
  std::shared_ptr<const Entry> entry;
  {
    const std::unique_lock lock(mutex_);
    if (const auto found = young_.find(expression); found != young_.end()) return *found->second;
    if (const auto found = old_.find(expression); found != old_.end()) entry = found->second;
  }
  // Compile without the lock. Two threads may compile the same text; the first result stays.
  if (entry == nullptr) entry = std::make_shared<const Entry>(Program::Compile(expression, options_));
  const std::unique_lock lock(mutex_);
  const auto [found, added] = young_.try_emplace(std::string(expression), entry);
  entry = found->second;
  if (added && young_.size() > max_size_ / 2) {
    old_ = std::move(young_);
    young_.clear();
  }
  return *entry;
}

size_t Cache::size() const {
  const std::shared_lock lock(mutex_);
  return young_.size() + old_.size();
}

}  // namespace allot::cel
