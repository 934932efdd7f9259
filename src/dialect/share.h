#pragma once
// A share of a GPU, described in a few values and turned into a claim. The flags of `allot run` fill it, and so does a dialect of
// annotations.
//
// A fraction becomes a list of alternatives, one for each size of GPU in the cluster: "a GPU of M MiB, and floor(f x M) of it". Kubernetes
// allows eight. The last one is for GPUs of any other size, and takes the fraction of the largest known size.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dialect/facts.h"
#include "dialect/refusal.h"
#include "json/editor.h"
#include "json/value.h"
#include "model/fraction.h"
#include "model/memory.h"

namespace allot::dialect {

struct Share {
  std::optional<model::MiB> memory;
  std::optional<model::Fraction> fraction;  // instead of memory; without both, whole GPUs
  int64_t gpus = 1;                         // how many different GPUs, each with this share
  std::string model;                        // part of the GPU's product name, in any case and spacing: "rtx3090"; empty: any model
};

// Parses whole MiB: "6Gi", "6144Mi". Returns kInvalid with the text and a correct form.
Result<model::MiB> ParseMemory(std::string_view text);

// Returns kInvalid, with the text, unless it can be part of a GPU's product name.
Status CheckModel(std::string_view model);
// Returns whether a GPU with this product name is of the model. The claim's selector applies the same rule.
bool IsOfModel(std::string_view product_name, std::string_view model);

// Returns why the share cannot become a claim: it is inconsistent, or it is a fraction and no GPU's size is known yet (retry is set). Empty
// if it can.
std::vector<Refusal> RefusalsOf(const Share& share, const Facts& facts);
// Returns what the user should know about the claim, or empty.
std::string WarningOf(const Share& share, const Facts& facts);
// Returns the `spec` of a ResourceClaim. REQUIRES: RefusalsOf is empty.
json::Value ClaimSpec(json::Editor& edit, const Share& share, const Facts& facts);

}  // namespace allot::dialect
