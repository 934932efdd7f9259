#pragma once
// Reasons in words. This is the only place that makes sentences of them, and nothing reads these sentences back.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/reasons.h"
#include "model/memory.h"

namespace allot::alloc {

// "6144 MiB asked, 2048 MiB of 24576 MiB free (held by default/train-1)"
std::string Words(const Reason& reason);
// The same for a table with columns for free memory and holders: "6144 MiB asked, 4096 MiB short".
std::string ShortWords(const Reason& reason);

// What was asked for and what there was: "1 device asked, none of the 8 fits".
std::string Summary(const Reasons& reasons);
// A line for the whole and one for each reason:
//   claim default/train, request gpu: 1 device asked, none of the 8 fits
//     gpu-0: 6144 MiB asked, 2048 MiB of 24576 MiB free (held by default/train-1)
//     gpu-1, gpu-2 and 5 more: selector 1 is false: productName is "NVIDIA L4"
std::string Words(const Reasons& reasons);

// "default/train-1", "claim default/a", "this Pod's claim"
std::string Words(const Holder& holder);
// "key=value:NoSchedule"
std::string Words(const Reason::Taint& taint);
// "productName is "NVIDIA L4", index is missing"
std::string Words(const cel::NotTrue& found);

// A sentence, and the devices that it is about; empty: it is about a pool.
struct Sentence {
  std::string words;
  std::vector<std::string> devices;
};
// Each sentence once, in the order of the reasons. Reasons that differ only in facts that Words does not show, such as the alternative,
// share one.
std::vector<Sentence> SentencesOf(const std::vector<RuledOut>& ruled_out);

// "a, b, c, d", or "a, b, c and 7 more". `before_last` is the separator before the last name, unless more follow.
std::string Shortened(const std::vector<std::string>& names, std::string_view before_last = ", ");

// nullopt: the capacity is not memory, or the amount is no whole number of MiB.
std::optional<model::MiB> MemoryIn(std::string_view name, const model::Quantity& amount);

}  // namespace allot::alloc
