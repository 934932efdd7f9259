#include "apiserver/go_text.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace allot::apiserver {

namespace {

struct Range {
  uint32_t first, last;
};

// Controls, formats, spaces, surrogates and private use (Cc, Cf, Zs, Zl, Zp, Cs, Co), of Unicode 15 as Go 1.26 has it.
constexpr Range kUnseen[] = {{0x0000, 0x001F},   {0x007F, 0x00A0},   {0x00AD, 0x00AD},   {0x0600, 0x0605},   {0x061C, 0x061C},
                             {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x1680, 0x1680},
                             {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},
                             {0xD800, 0xF8FF},   {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD},
                             {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF},
                             {0xF0000, 0x10FFFF}};

void AppendHex(std::string& to, uint32_t number, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) to += "0123456789abcdef"[number >> shift & 0xF];
}

void AppendEscape(std::string& to, uint32_t character) {
  static constexpr std::string_view kLetters = "abtnvfr";  // for characters 7 to 13
  to += '\\';
  if (character >= 7 && character <= 13) {
    to += kLetters[character - 7];
  } else if (character < 0x80) {
    to += 'x';
    AppendHex(to, character, 2);
  } else if (character < 0x10000) {
    to += 'u';
    AppendHex(to, character, 4);
  } else {
    to += 'U';
    AppendHex(to, character, 8);
  }
}

}  // namespace

bool IsPrintable(uint32_t character) {
  if ((character & 0xFFFE) == 0xFFFE) return false;
  const auto* const found =
      std::find_if(std::begin(kUnseen), std::end(kUnseen), [&](const Range& range) { return character <= range.last; });
  return found == std::end(kUnseen) || character < found->first;
}

std::string GoQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t character = DecodeCharacter(text, &at);
    if (character == kReplacementCharacter && at - begin == 1) {
      quoted += "\\x";
      AppendHex(quoted, static_cast<unsigned char>(text[begin]), 2);
    } else if (character == '"' || character == '\\') {
      quoted += '\\';
      quoted += static_cast<char>(character);
    } else if (IsPrintable(character)) {
      quoted += text.substr(begin, at - begin);
    } else {
      AppendEscape(quoted, character);
    }
  }
  return quoted + '"';
}

}  // namespace allot::apiserver
