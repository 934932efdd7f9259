#pragma once
// The formats that a schema may demand of a text. Which texts have them is decided as kube-apiserver 1.36 does.

#include <string_view>

namespace allot::apiserver {

// Whether a format is one that texts are checked for; any other is ignored. "date-time" and "datetime" are the same.
bool IsTextFormat(std::string_view format);

// REQUIRES: IsTextFormat(format).
bool HasFormat(std::string_view format, std::string_view text);

}  // namespace allot::apiserver
