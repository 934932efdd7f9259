#pragma once
// Writes objects as kubectl prints them: YAML with sorted keys, and JSON indented by four.
//
// Promises: ParseYaml reads back what WriteYaml wrote (numbers in the form that a YAML reader gives them), and both write the same bytes as
// kubectl 1.36.

#include <string>
#include <string_view>

#include "json/value.h"

namespace allot::json {

// Writes block style, two spaces per level, lists not indented. Strings are quoted where they would be read as another type, written as a
// literal block if they have several lines and a block can hold them, and wrapped at spaces beyond column 80.
std::string WriteYaml(const Value& value);

// Writes members in byte order, with <, > and & escaped, and a final line end.
std::string WriteSortedJson(const Value& value);

// The order of keys in YAML: numbers in them compare by value ("a2" before "a10"), letters sort after other characters.
bool KeyLess(std::string_view a, std::string_view b);

}  // namespace allot::json
