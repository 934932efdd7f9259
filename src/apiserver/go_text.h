#pragma once
// Text as Go prints it: which characters can be seen, and the quotes of %q.

#include <cstdint>
#include <string>
#include <string_view>

namespace allot::apiserver {

// unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the space of ASCII. Characters that Unicode has not assigned yet count
// as letters: which ones these are changes each year.
bool IsPrintable(uint32_t character);

// %q: in double quotes; what cannot be seen is \n, \x00, \u00ad or \U000e0001, and so is each byte that is not UTF-8: \xff.
std::string GoQuoted(std::string_view text);

}  // namespace allot::apiserver
