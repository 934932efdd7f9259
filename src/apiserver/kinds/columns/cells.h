#pragma once
// Cells that several kinds share. For columns*.cc only.

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver::cells {

using json::Editor;
using json::ItemsOf;
using json::MembersOf;
using json::TextOf;
using json::Value;

Column NameColumn(int priority = 0);
Column AgeColumn();
// A text column that is always shown. A priority above 0 shows it only with -o wide; TypedColumn gives it another type.
Column TextColumn(std::string_view name, std::string_view description, int priority = 0);
Column TypedColumn(std::string_view name, std::string_view type, std::string_view description);

Value Name(Editor& edit, const Value& object);
// "5m": the time since the object was created, or since `time`.
Value Age(Editor& edit, const Value& object, WallTime now);
Value Since(Editor& edit, const Value& time, WallTime now);
// Returns the text of `value`, or `otherwise` if it is empty.
Value TextOr(Editor& edit, const Value& value, std::string_view otherwise = "");
// "2/3"
Value Ratio(Editor& edit, int64_t part, int64_t whole);

// Returns a 32-bit number, as all counters of the API are, or 0, so that sums cannot overflow.
int64_t IntOf(const Value& value);

// Returns the first condition of this type, or the null value.
const Value& ConditionOf(const Value& status, std::string_view type);
bool HasTrueCondition(const Value& status, std::string_view type);

// Joins the `field` of all containers: "main,sidecar".
Value Joined(Editor& edit, const Value& containers, std::string_view field);

// "app=web,tier in (a,b),!old", sorted by key. nullopt for an unknown operator.
std::optional<std::string> SelectorText(const Value& selector);

}  // namespace allot::apiserver::cells
