#pragma once
// The text formats of a schema, checked as kube-apiserver 1.36 does.

#include <string_view>

namespace allot::apiserver {

// Whether texts are checked for the format; any other is ignored. "date-time" and "datetime" are the same.
bool IsTextFormat(std::string_view format);

// REQUIRES: IsTextFormat(format).
bool HasFormat(std::string_view format, std::string_view text);

}  // namespace allot::apiserver
