#pragma once
// The conditions of a status.

#include <string>
#include <string_view>

#include "base/clock.h"
#include "json/editor.h"

namespace allot::apiserver {

struct Condition {
  std::string_view type, status, reason;
  std::string message = {};
};

// nullptr: the status has none of that type.
const json::Value* FindCondition(const json::Value& status, std::string_view type);
// "True", "False", "Unknown"; empty: the status has none of that type.
std::string_view ConditionStatus(const json::Value& status, std::string_view type);

// The list with the condition in the place of the one of its type, or behind the others. The same value where nothing but times would
// change. The time of the transition is kept unless the condition's status changes. `updated` names a second time that kinds have for the
// last update or probe, and which moves with any change; empty: none. With `touch` it moves even where nothing else changes.
json::Value SetCondition(json::Editor& edit, const json::Value& conditions, const Condition& condition, WallTime now,
                         std::string_view updated = "", bool touch = false);
json::Value WithoutCondition(json::Editor& edit, const json::Value& conditions, std::string_view type);

}  // namespace allot::apiserver
