#pragma once
// Checks of names.

#include <string>
#include <string_view>

#include "base/strings.h"
#include "cel/library/named_format.h"

namespace allot::apiserver {

// Returns what is wrong with a name of a format of format.named() ("dns1035Label", ...), separated by commas; empty if it is valid.
inline std::string NameProblems(std::string_view format, std::string_view name) {
  return Join(cel::FindNamedFormat(format)->validate(name), ",");
}

// Converts ASCII letters to lower case.
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return lower;
}

}  // namespace allot::apiserver
