#pragma once
// A share of a GPU in a few words, as a claim: what `allot run` takes, and what annotations of KAI are translated to.
//
// A fraction is of whatever GPU it falls on: a list of alternatives, one for each size of GPU that there is, "a GPU of M MiB, of which
// floor(f x M)". Kubernetes allows eight; the last one is for sizes that are not known, and charges for the largest that is.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::dialect {

// A part of a whole, exactly as written.
class Fraction {
 public:
  // "0.5", ".25". kInvalid, with the text and what would be right: no number, an exponent or a unit, not between 0 and 1, or more than 9
  // decimals.
  static Result<Fraction> Parse(std::string_view text);

  // Whole MiB, rounded down.
  int64_t Of(int64_t mib) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int64_t billionths_ = 0;
};

struct Share {
  std::optional<int64_t> memory_mib;
  std::optional<Fraction> fraction;  // instead of memory; neither: whole GPUs
  int64_t gpus = 1;                  // different ones, each with this share
  std::string model;                 // a part of the GPU's name, in any case and spacing: "rtx3090"; empty: any
};

// Whole MiB: "6Gi", "6144Mi". kInvalid, with the text and what would be right.
Result<int64_t> ParseMemory(std::string_view text);

// Whether it can be a part of a GPU's name. kInvalid, with the text.
Status CheckModel(std::string_view model);
// Whether a GPU of this name is of the model: as the claim's selector has it.
bool IsOfModel(std::string_view product_name, std::string_view model);

// The `spec` of a ResourceClaim, as JSON. `sizes`: the memory of the GPUs that there are, in MiB, in any order. kInvalid where the share
// makes no sense; kUnavailable where a fraction is asked for and no size is known.
Result<std::string> ClaimSpec(const Share& share, std::span<const int64_t> sizes);

}  // namespace allot::dialect
