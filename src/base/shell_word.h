#pragma once
// Quoting for shells.

#include <string>
#include <string_view>

namespace allot {

// Returns `text` as one word of a POSIX shell, in single quotes if needed.
std::string ShellWord(std::string_view text);

}  // namespace allot
