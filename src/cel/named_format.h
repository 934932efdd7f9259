#pragma once
// The formats that format.named() knows, such as dns1123Label.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace allot::cel {

struct NamedFormat {
  std::string_view name;      // in expressions
  std::string_view label;     // two formats are equal when these are
  uint32_t pattern_size = 0;  // what validating is charged for
  // What is wrong with the text; nothing when it has the format.
  std::vector<std::string> (*validate)(std::string_view text) = nullptr;
};

std::span<const NamedFormat> NamedFormats();
// nullptr when there is none of that name.
const NamedFormat* FindNamedFormat(std::string_view name);

}  // namespace allot::cel
