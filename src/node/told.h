#pragma once
// Tells a state once, when it changes: what is looked at every second would fill the log otherwise.

#include <string>

#include "base/status.h"

namespace allot::node {

class Told {
 public:
  // Whether to say it: it is another one than before. A first one that is ok is not worth a word.
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
