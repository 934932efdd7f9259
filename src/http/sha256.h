#pragma once

#include <string>
#include <string_view>

namespace allot::http {

// Returns the SHA-256 of the bytes as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace allot::http
