#pragma once
// What is printed for a shell to read.

#include <string>
#include <string_view>

namespace allot {

// `text` as one word: as it is where that is enough, else in single quotes.
std::string ShellWord(std::string_view text);

}  // namespace allot
