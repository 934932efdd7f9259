#pragma once
// The values of an explanation (view/explain) as sentences, for people. Programs read the kinds and facts (json.cc).

#include <string>
#include <string_view>

#include "view/explain/answer.h"

namespace allot::cli {

// What follows "Pod lab/late waits: ": "no GPU has 8192 MiB free (the most is 6144)". May be empty.
std::string Words(const view::Headline& headline);
// The same for `allot status`, where a Pod that can never start says so.
std::string Words(const view::Brief& brief);

// One or more whole sentences.
std::string Words(const view::Detail& detail);
// What to do; the command that helps follows it.
std::string Words(const view::Fix& fix);
std::string CommandOf(const view::Fix& fix);
// What could not be seen, and what that means for the explanation.
std::string Words(const view::Note& note);

// Why the nodes do not fit.
std::string Words(const view::NodeGroup& group);
// Why the Pod does not get the device; empty: it fits.
std::string Words(const view::DeviceRow& row);
// Why the Pod could not be there; empty: it fits.
std::string Words(const view::Option& option);
// "lab/train-1", or "claim lab/x" where no Pod uses the claim.
std::string Words(const view::DeviceRow::Part& part);

// What follows the words of a remedy: ", unless a Pod ahead starts there first". Empty: no Pod can.
std::string_view CaveatWords(const view::Answer& answer, const sched::Remedy& remedy);

}  // namespace allot::cli
