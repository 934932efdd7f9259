#pragma once
// Findings of `allot doctor` (view/doctor) as sentences.

#include <string>
#include <string_view>

#include "view/doctor/finding.h"

namespace allot::cli {

// What was looked at, with what was found: "n1, n2: 2 GPUs are offered, 2 of them shared".
std::string Words(const view::Finding& finding);

// What to do, and a command that does it or tells more. Both may be empty.
struct Advice {
  std::string text, command;
};
// Empty where the finding is ok.
Advice AdviceFor(const view::Finding& finding);

// The names in JSON: "resource-api", "failed".
std::string_view NameOf(view::Finding::Check check);
std::string_view NameOf(view::Finding::Verdict verdict);

}  // namespace allot::cli
