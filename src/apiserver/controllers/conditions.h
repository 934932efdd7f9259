#pragma once
// Reads and writes the conditions of a status.

#include <string>
#include <string_view>

#include "base/clock.h"
#include "json/editor.h"

namespace allot::apiserver {

struct Condition {
  std::string_view type, status, reason;
  std::string message = {};
};

// Returns nullptr if the status has no condition of that type.
const json::Value* FindCondition(const json::Value& status, std::string_view type);
// "True", "False", "Unknown"; empty if the status has no condition of that type.
std::string_view ConditionStatus(const json::Value& status, std::string_view type);

// Returns the list with the condition in place of the one of its type, or at the end. Returns the same value if only times would change.
// The transition time changes only with the condition's status. `updated` names a second time, of the last update or probe, which changes
// with any change; empty: the kind has none. With `touch` that time changes even if nothing else does.
json::Value SetCondition(json::Editor& edit, const json::Value& conditions, const Condition& condition, WallTime now,
                         std::string_view updated = "", bool touch = false);
json::Value WithoutCondition(json::Editor& edit, const json::Value& conditions, std::string_view type);

}  // namespace allot::apiserver
