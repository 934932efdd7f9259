#pragma once
// The values of literal tokens.

#include <optional>
#include <string>
#include <string_view>

#include "cel/ast.h"

namespace allot::cel {

// `text` is the token without its sign. Nothing when the number does not fit into 64 bits.
std::optional<int64_t> ParseIntLiteral(std::string_view text, bool negative);
std::optional<uint64_t> ParseUintLiteral(std::string_view text);  // with its 'u'
// Nothing when it is too large for a double.
std::optional<double> ParseDoubleLiteral(std::string_view text);

// What a quoted text means: quotes removed, escapes replaced, line ends as \n. `text` begins at the quote or at the r of a raw text.
// In bytes \x and octal escapes are bytes, otherwise characters. Nothing when an escape names no character.
std::optional<std::string> Unquote(std::string_view text, bool bytes);

}  // namespace allot::cel
