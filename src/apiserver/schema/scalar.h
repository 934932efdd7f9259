#pragma once
// Decodes and encodes a scalar as Go does.

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/schema/type.h"
#include "json/editor.h"

namespace allot::apiserver {

// Why a value does not have its type.
struct Mismatch {
  std::string found;        // "object", "number 1.5"
  std::string_view wanted;  // Go's name of the type: "int32"
  std::string message;      // used instead of found and wanted if not empty
  bool stops = false;       // Go stops decoding
};

// Sets `to` to the canonical form of `from`; null only for the zero time. REQUIRES: a scalar shape, and `from` is not null.
std::optional<Mismatch> ReadScalar(json::Editor& edit, Shape shape, const json::Value& from, json::Value& to);

// Returns what Go writes for an unset value: "", 0 or null. REQUIRES: a scalar shape.
json::Value ZeroScalar(json::Editor& edit, Shape shape);
// Whether a value from ReadScalar is empty in the sense of Go's omitempty.
bool IsEmptyScalar(Shape shape, const json::Value& value);

// "string", "float64"; empty if the shape has no Go type of its own.
std::string_view GoScalarName(Shape shape);
// Go's name of a value in errors: "object", "array".
std::string_view GoKindName(const json::Value& value);

}  // namespace allot::apiserver
