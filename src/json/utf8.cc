#include "json/utf8.h"

#include <algorithm>

#include "base/strings.h"

namespace allot::json {

namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

size_t Utf8Length(std::string_view text) {
  const auto at = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  if (first == 0xE0 && at(1) < 0xA0) return 0;  // could be shorter
  if (first == 0xED && at(1) > 0x9F) return 0;  // surrogate
  if (first == 0xF0 && at(1) < 0x90) return 0;  // could be shorter
  if (first == 0xF4 && at(1) > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

void AppendUtf8(std::string& to, uint32_t character) {
  const auto byte = [&to](uint32_t value) { to += static_cast<char>(value); };
  if (character < 0x80) {
    byte(character);
    return;
  }
  if (character < 0x800) {
    byte(0xC0 | character >> 6);
  } else {
    if (character < 0x10000) {
      byte(0xE0 | character >> 12);
    } else {
      byte(0xF0 | character >> 18);
      byte(0x80 | (character >> 12 & 0x3F));
    }
    byte(0x80 | (character >> 6 & 0x3F));
  }
  byte(0x80 | (character & 0x3F));
}

std::string PlaceOf(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::string_view begun = before.substr(before.find_last_of('\n') + 1);
  const auto column = std::count_if(begun.begin(), begun.end(), [](char c) { return !IsContinuation(c); }) + 1;
  return StrCat("line ", line, ", column ", column);
}

}  // namespace allot::json
