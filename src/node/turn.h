#pragma once
// Internal to Preparer: one call at a time for each claim.

#include <string>

#include "node/prepare.h"

namespace allot::node {

class Preparer::Turn {
 public:
  // Waits for it.
  Turn(Preparer& owner, const std::string& uid) : owner_(owner), uid_(uid), mine_(true) {
    std::unique_lock lock(owner_.mutex_);
    owner_.changed_.wait(lock, [&] { return owner_.busy_.insert(uid_).second; });
  }
  enum Try { kTry };
  // Takes it where nobody else has it.
  Turn(Preparer& owner, const std::string& uid, Try) : owner_(owner), uid_(uid) {
    const std::lock_guard lock(owner_.mutex_);
    mine_ = owner_.busy_.insert(uid_).second;
  }
  ~Turn() {
    if (!mine_) return;
    const std::lock_guard lock(owner_.mutex_);
    owner_.busy_.erase(uid_);
    owner_.changed_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool mine() const { return mine_; }

 private:
  Preparer& owner_;
  const std::string uid_;
  bool mine_ = false;
};

}  // namespace allot::node
