#pragma once
// JSON values as values of expressions, by the type that a schema declares for them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/frame.h"
#include "cel/object_type.h"
#include "json/value.h"

namespace allot::cel {

// Nothing is copied: `json` and `type` must outlive the arena. What does not fit its type is an error value; parts of objects are only
// looked at when they are asked for, and only once.
Value ToValue(Arena& arena, const Type& type, const json::Value& json);

// a == b and a + b of lists whose rule is not kAtomic. REQUIRES: a.declared has such a rule.
Value EqualByRule(Frame& frame, const List& a, const List& b);
Value AddByRule(Frame& frame, const List& a, const List& b);

// Texts of schema formats. Durations also as "2 days 3 hours"; date-times with any number of digits behind the second, or without a zone.
std::optional<int64_t> ParseLooseDuration(std::string_view text);
std::optional<Value> ParseDate(std::string_view text);
std::optional<Value> ParseDateTime(std::string_view text);
std::optional<std::string> DecodeUrlBase64(std::string_view text);

}  // namespace allot::cel
