#pragma once
// Converts JSON values to values of expressions, by the types that a schema declares.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/eval/frame.h"
#include "cel/eval/object_type.h"
#include "json/value.h"

namespace allot::cel {

// Copies nothing: `json` and `type` must outlive the arena. A value that does not fit its type becomes an error value. Parts of objects are
// converted once, when they are read.
Value ToValue(Arena& arena, const Type& type, const json::Value& json);

// a == b and a + b for lists with another rule than kAtomic. REQUIRES: a.declared has such a rule.
Value EqualByRule(Frame& frame, const List& a, const List& b);
Value AddByRule(Frame& frame, const List& a, const List& b);

// Parse texts of schema formats. Durations may be "2 days 3 hours". Date-times may have any number of fractional digits, and no zone.
std::optional<int64_t> ParseLooseDuration(std::string_view text);
std::optional<Value> ParseDate(std::string_view text);
std::optional<Value> ParseDateTime(std::string_view text);
std::optional<std::string> DecodeUrlBase64(std::string_view text);

}  // namespace allot::cel
