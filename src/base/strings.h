#pragma once
// Text helpers that every area needs.

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace allot {

namespace internal {

template <typename Part>
void Append(std::string& to, const Part& part) {
  if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
    to += std::string_view(part);
  } else if constexpr (std::is_same_v<Part, char>) {
    to += part;
  } else if constexpr (std::is_same_v<Part, bool>) {
    to += part ? "true" : "false";
  } else {
    static_assert(std::is_integral_v<Part>, "StrCat takes text, characters, bools and whole numbers");
    char digits[24];
    to.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
  }
}

}  // namespace internal

// Concatenates text, characters, bools and whole numbers.
template <typename... Parts>
std::string StrCat(const Parts&... parts) {
  std::string text;
  (internal::Append(text, parts), ...);
  return text;
}

// Returns `text` in double quotes with JSON's escapes. Text beyond `limit` bytes is cut and ends in "...".
std::string Quoted(std::string_view text, size_t limit = 80);

std::string Join(const std::vector<std::string>& parts, std::string_view separator);

std::vector<std::string_view> Split(std::string_view text, char separator);

std::string_view Trim(std::string_view text);

}  // namespace allot
