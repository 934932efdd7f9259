#pragma once
// The text of an expression, and its errors: "2:14: what is wrong", the line, a caret.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::cel {

// A part of the text, in bytes.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
};

class Source {
 public:
  explicit Source(std::string_view text);

  std::string_view text() const { return text_; }
  std::string_view At(Span span) const { return std::string_view(text_).substr(span.begin, span.end - span.begin); }

  // Returns kInvalid with the message, the place, the line of the text and a caret below it.
  Status Error(uint32_t offset, std::string_view message) const;

 private:
  const std::string text_;  // valid UTF-8
};

}  // namespace allot::cel
