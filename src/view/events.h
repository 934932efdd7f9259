#pragma once
// Events of the API.

#include <string_view>

#include "json/value.h"

namespace allot::view {

// Returns when the event happened last, in RFC 3339. Empty: it does not say.
std::string_view TimeOf(const json::Value& event);

}  // namespace allot::view
