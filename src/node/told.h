#pragma once
// Decides whether a state is worth logging: only when it changes. A state that is checked every second would fill the log otherwise.

#include <string>

#include "base/status.h"

namespace allot::node {

class Told {
 public:
  // Whether the status differs from the last one. A first status that is ok is not new.
  bool IsNew(const Status& status) {
    std::string text = status.ok() ? std::string() : std::string(status.message());
    if (known_ && text == text_) return false;
    const bool worth = known_ || !text.empty();
    known_ = true;
    text_ = std::move(text);
    return worth;
  }

 private:
  bool known_ = false;
  std::string text_;
};

}  // namespace allot::node
