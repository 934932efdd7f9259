#pragma once
// A fraction of a GPU as people write it, kept exactly: "0.5" is 1/2, "1/3" is 1/3. A third of 24576 MiB is 8192 MiB.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/memory.h"

namespace allot::model {

// Above 0 and below 1, in lowest terms.
class Fraction {
 public:
  // "0.5", ".25", "1/3". kInvalid, with the text and what would be right: not a number, an exponent or a unit, not between 0 and 1, or more
  // than 18 digits.
  static Result<Fraction> Parse(std::string_view text);

  // Whole MiB, rounded down.
  MiB Of(MiB whole) const;

  int64_t numerator() const { return numerator_; }
  int64_t denominator() const { return denominator_; }
  const std::string& text() const { return text_; }  // as written

 private:
  Fraction(std::string_view text, int64_t numerator, int64_t denominator);

  std::string text_;
  int64_t numerator_, denominator_;
};

}  // namespace allot::model
