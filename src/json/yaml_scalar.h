#pragma once
// The meaning of a plain YAML scalar for kubectl (go.yaml.in/yaml/v2 2.4, then Go's encoding/json).
//
// true/True/TRUE, yes, on, y and their opposites are bools. ~, null and an empty scalar are null. Integers in decimal, hex (0x), octal (0o
// or a leading 0) and binary (0b), with underscores anywhere, are whole numbers up to 64 bits. Everything else that looks like a number is
// a double, printed with the fewest digits that parse back to it. Times, sexagesimal numbers and 1e999 stay text.

#include <optional>
#include <string>
#include <string_view>

namespace allot::json {

struct Scalar {
  enum class Kind { kNull, kBool, kInt, kFloat, kNotFinite, kString };
  Kind kind;
  std::string text;  // for a bool or number, its JSON; for a string, the text; else ".inf", "-.inf" or ".nan"

  // The text of this scalar as a mapping's key: whole numbers and bools as they print, doubles in single precision (as in Go). nullopt if
  // kubectl rejects it: null, and whole numbers beyond 2^63-1.
  std::optional<std::string> Key() const;
};

Scalar ResolveScalar(std::string_view text);

}  // namespace allot::json
