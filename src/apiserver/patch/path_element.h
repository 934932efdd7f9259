#pragma once
// One step of the path to an owned field: a field by name, or an item of a list by its keys or by its value.
//
// Written "f:name", `k:{"name":"a"}`, `v:"value"`, "i:0" in managedFields, and .name, [name="a"], [="value"], [0] for people.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

struct PathElement {
  enum class Kind : uint8_t { kField, kKey, kValue, kIndex };  // in sorting order

  Kind kind = Kind::kField;
  json::Value value;  // the name; an object of the keys, sorted by name; the item; the index

  static PathElement Field(json::Editor& edit, std::string_view name) { return {Kind::kField, edit.Literal(name)}; }  // not copied

  bool IsField(std::string_view name) const { return kind == Kind::kField && value.AsString() == name; }
};

// Returns a number below, above or equal to 0. The order is that of managedFields: numbers by value, then strings, then bools, ...
int Compare(const PathElement& a, const PathElement& b);
inline bool operator<(const PathElement& a, const PathElement& b) { return Compare(a, b) < 0; }
inline bool operator==(const PathElement& a, const PathElement& b) { return Compare(a, b) == 0; }

// Compares values in the same order.
int CompareValues(const json::Value& a, const json::Value& b);

// Parses the form in managedFields. Returns nullopt for an unknown kind of element, kInvalid for a broken one.
Result<std::optional<PathElement>> ParsePathElement(json::Editor& edit, std::string_view text);
std::string Write(const PathElement& element);

// `.spec.containers[name="a"].image`
std::string ToText(std::span<const PathElement> path);

}  // namespace allot::apiserver
