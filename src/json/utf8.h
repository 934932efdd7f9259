#pragma once
// UTF-8 as Unicode defines it: shortest form only, no surrogates, nothing beyond U+10FFFF.

#include <cstdint>
#include <string>
#include <string_view>

namespace allot::json {

// The bytes of the character that `text` begins with (1 to 4), or 0 when it begins with none. REQUIRES not empty.
size_t Utf8Length(std::string_view text);

// Appends the character. REQUIRES no surrogate and at most U+10FFFF.
void AppendUtf8(std::string& to, uint32_t character);

// "line 3, column 5" of the byte at `offset`; columns count characters. Lines end in '\n'.
std::string PlaceOf(std::string_view text, size_t offset);

}  // namespace allot::json
