#pragma once

#include <string>
#include <string_view>

namespace allot::http {

// The SHA-256 of the bytes, as 64 hexadecimal digits in lower case.
std::string Sha256Hex(std::string_view bytes);

}  // namespace allot::http
