#pragma once
// How a string stands in YAML: plain, in quotes or as a block, as kubectl's writer (go-yaml 2) chooses.

#include <string>
#include <string_view>

namespace allot::json {

// Appends the string. `indent`: spaces before further lines. `column`: where it begins.
void AppendScalar(std::string& out, std::string_view text, size_t indent, size_t column);

// The string as a key: one line, never a block.
std::string WriteKey(std::string_view text);

}  // namespace allot::json
