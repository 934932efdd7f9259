#pragma once
// Internal to Preparer: lets one call at a time work on a claim.

#include <string>

#include "node/prepare/prepare.h"

namespace allot::node {

class Preparer::Turn {
 public:
  // Waits until no other call works on the claim.
  Turn(Preparer& owner, const std::string& uid) : owner_(owner), uid_(uid), mine_(true) {
    std::unique_lock lock(owner_.mutex_);
    owner_.changed_.wait(lock, [&] { return owner_.busy_.insert(uid_).second; });
  }
  enum Try { kTry };
  // Does not wait; mine() says whether the turn was free.
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
