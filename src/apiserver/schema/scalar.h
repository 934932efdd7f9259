#pragma once
// One scalar as Go decodes and encodes it.

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/schema/type.h"
#include "json/editor.h"

namespace allot::apiserver {

// Why a value is not what its type wants.
struct Mismatch {
  std::string found;        // "object", "number 1.5"
  std::string_view wanted;  // "int32", as Go calls it
  std::string message;      // where it is not about found and wanted
  bool stops = false;       // Go reads no further
};

// `from` in its canonical form into `to`, which is null for the zero time only. REQUIRES a scalar shape, and no null.
std::optional<Mismatch> ReadScalar(json::Editor& edit, Shape shape, const json::Value& from, json::Value& to);

// What Go writes where nothing was set: "" or 0 or null. REQUIRES a scalar shape.
json::Value ZeroScalar(json::Editor& edit, Shape shape);
// Whether a value from ReadScalar is empty in the sense of Go's omitempty.
bool IsEmptyScalar(Shape shape, const json::Value& value);

// "string", "float64"; empty where the shape has no Go type of its own.
std::string_view GoScalarName(Shape shape);
// "object", "array": what Go's errors call a value.
std::string_view GoKindName(const json::Value& value);

}  // namespace allot::apiserver
