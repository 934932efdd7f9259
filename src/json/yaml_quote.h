#pragma once
// Chooses how to write a string in YAML (plain, quoted or as a block) as kubectl's writer, go-yaml 2, does.

#include <string>
#include <string_view>

namespace allot::json {

// Appends the string. `indent` is the number of spaces before further lines, `column` the column where the string begins.
void AppendScalar(std::string& out, std::string_view text, size_t indent, size_t column);

// Writes the string as a key: one line, never a block.
std::string WriteKey(std::string_view text);

}  // namespace allot::json
