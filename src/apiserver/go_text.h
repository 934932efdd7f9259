#pragma once
// Text as Go prints it: which characters are printable, and the quoting of %q.

#include <cstdint>
#include <string>
#include <string_view>

namespace allot::apiserver {

// unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space. Unassigned characters count as letters, because
// Unicode assigns more each year.
bool IsPrintable(uint32_t character);

// %q: in double quotes. Unprintable characters are escaped as \n, \x00, \u00ad or \U000e0001, and bytes that are not UTF-8 as \xff.
std::string GoQuoted(std::string_view text);

}  // namespace allot::apiserver
