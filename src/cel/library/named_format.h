#pragma once
// The formats of format.named(), such as dns1123Label.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace allot::cel {

struct NamedFormat {
  std::string_view name;      // in expressions
  std::string_view label;     // equal labels make equal formats
  uint32_t pattern_size = 0;  // determines the cost of validating
  // Returns what is wrong with the text; empty if it has the format.
  std::vector<std::string> (*validate)(std::string_view text) = nullptr;
};

std::span<const NamedFormat> NamedFormats();
// Returns nullptr if there is none of that name.
const NamedFormat* FindNamedFormat(std::string_view name);

}  // namespace allot::cel
