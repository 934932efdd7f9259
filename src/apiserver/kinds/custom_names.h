#pragma once
// What names must look like, in the words of errors.

#include <string>
#include <string_view>

#include "base/strings.h"
#include "cel/named_format.h"

namespace allot::apiserver {

// What is wrong with a name of a format that format.named() knows ("dns1035Label", ...), with commas between; empty: nothing.
inline std::string NameProblems(std::string_view format, std::string_view name) {
  return Join(cel::FindNamedFormat(format)->validate(name), ",");
}

// With ASCII letters in lower case.
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return lower;
}

}  // namespace allot::apiserver
