#include "json/place.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace allot::json {

std::string PlaceOf(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::string_view begun = before.substr(before.find_last_of('\n') + 1);
  return StrCat("line ", line, ", column ", CountCharacters(begun) + 1);
}

}  // namespace allot::json
