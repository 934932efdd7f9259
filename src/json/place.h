#pragma once
// Names the place of a mistake in a text.

#include <string>
#include <string_view>

namespace allot::json {

// Returns "line 3, column 5" for the byte at `offset`. Columns count characters. Lines end in '\n'.
std::string PlaceOf(std::string_view text, size_t offset);

}  // namespace allot::json
