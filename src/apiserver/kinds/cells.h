#pragma once
// What the rows of several kinds are made of. For columns*.cc only.

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
// Text that is always shown; of another type, or with a priority above 0, where that is said.
Column TextColumn(std::string_view name, std::string_view description, int priority = 0);
Column TypedColumn(std::string_view name, std::string_view type, std::string_view description);

Value Name(Editor& edit, const Value& object);
// "5m": since the object was made, or since `time`.
Value Age(Editor& edit, const Value& object, WallTime now);
Value Since(Editor& edit, const Value& time, WallTime now);
// The text of `value`, or `otherwise` where it has none.
Value TextOr(Editor& edit, const Value& value, std::string_view otherwise = "");
// "2/3"
Value Ratio(Editor& edit, int64_t part, int64_t whole);

// A number of 32 bits, as every counter of the API is; 0 for anything else, so that sums cannot overflow.
int64_t IntOf(const Value& value);
bool IsTrue(const Value& value);

// The first condition of this type; null (the value) where there is none.
const Value& ConditionOf(const Value& status, std::string_view type);
bool HasTrueCondition(const Value& status, std::string_view type);

// "main,sidecar": what `field` holds in each container of the list.
Value Joined(Editor& edit, const Value& containers, std::string_view field);

// "app=web,tier in (a,b),!old", sorted by key. Nothing for an operator that there is not.
std::optional<std::string> SelectorText(const Value& selector);

}  // namespace allot::apiserver::cells
