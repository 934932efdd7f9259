#pragma once
// How far apart two words are, for "did you mean".

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace allot {

// Returns how many letters must be added, dropped, replaced or swapped with the next one to turn `a` into `b`.
size_t EditDistance(std::string_view a, std::string_view b);

// The one of `words` that is nearest to `text`; empty if none is near.
std::string Nearest(std::string_view text, std::span<const std::string> words);

}  // namespace allot
