#pragma once
// Objects as kubectl prints them: YAML with sorted keys, and JSON indented by four.
//
// Promises: ParseYaml gives back what WriteYaml wrote (numbers in the shape that a YAML reader gives them), and both give the
// bytes that kubectl 1.36 prints for the same object.

#include <string>
#include <string_view>

#include "json/value.h"

namespace allot::json {

// Block style, two spaces a level, lists not indented; strings are quoted where they would be read as something else, have more than one
// line as a literal block where that can hold them, and are wrapped at spaces beyond column 80.
std::string WriteYaml(const Value& value);

// Members in the order of their bytes; <, > and & escaped. With a line end.
std::string WriteSortedJson(const Value& value);

// The order of keys in YAML: numbers in them count by their value ("a2" before "a10"), letters come behind other characters.
bool KeyLess(std::string_view a, std::string_view b);

}  // namespace allot::json
