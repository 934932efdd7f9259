#pragma once
// What a plain YAML scalar means to kubectl (go.yaml.in/yaml/v2 2.4, then Go's encoding/json).
//
// true/True/TRUE, yes, on, y and their opposites are bools; ~, null and nothing are null; integers in decimal, hex (0x), octal (0o or a
// leading 0) and binary (0b), underscores anywhere, are whole numbers up to 64 bits; what else looks like a number is a double, printed
// with the fewest digits that give it back. Times and sexagesimal numbers stay text, and so does 1e999.

#include <optional>
#include <string>
#include <string_view>

namespace allot::json {

struct Scalar {
  enum class Kind { kNull, kBool, kInt, kFloat, kNotFinite, kString };
  Kind kind;
  std::string text;  // JSON's for a bool or number, the text itself for a string, ".inf", "-.inf" or ".nan"

  // The key that this becomes as a mapping's key: whole numbers and bools as they print, doubles in single precision (Go does so).
  // Nothing where kubectl refuses it: null, and whole numbers beyond 2^63-1.
  std::optional<std::string> Key() const;
};

Scalar ResolveScalar(std::string_view text);

}  // namespace allot::json
