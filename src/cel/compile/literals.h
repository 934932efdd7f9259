#pragma once
// Parses literal tokens.

#include <optional>
#include <string>
#include <string_view>

#include "cel/compile/ast.h"

namespace allot::cel {

// `text` is the token without its sign. Returns nullopt if the number does not fit into 64 bits.
std::optional<int64_t> ParseIntLiteral(std::string_view text, bool negative);
std::optional<uint64_t> ParseUintLiteral(std::string_view text);  // including the 'u'
// Returns nullopt if the number is too large for a double.
std::optional<double> ParseDoubleLiteral(std::string_view text);

// Decodes a quoted text: removes quotes, replaces escapes, turns line ends into \n. `text` begins at the quote, or at the r of a raw text.
// In bytes, \x and octal escapes are bytes; otherwise they are characters. Returns nullopt if an escape names no character.
std::optional<std::string> Unquote(std::string_view text, bool bytes);

}  // namespace allot::cel
