#pragma once
// UTF-8 as Unicode defines it: shortest form only, no surrogates, nothing beyond U+10FFFF. One code point is one character. A broken byte
// decodes to U+FFFD.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace allot {

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

inline bool IsCodePoint(uint32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }

// Returns the number of characters. In broken UTF-8 it counts the bytes that do not continue a character.
inline uint64_t CountCharacters(std::string_view text) {
  // Count the bytes that do not continue a character, eight at a time: CEL evaluations are charged by size, so this is called often.
  static_assert(std::endian::native == std::endian::little);
  uint64_t count = text.size();
  const auto subtract = [&](uint64_t word) {
    const uint64_t continued = (word >> 7) & ~(word >> 6) & 0x0101010101010101u;
    if (continued != 0) count -= static_cast<uint64_t>(std::popcount(continued));
  };
  const auto load = [&](size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    return word;
  };
  if (text.size() < 8) {
    for (const char c : text) count -= (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    return count;
  }
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) subtract(load(at));
  // Load the last eight bytes and shift out those already counted.
  if (const size_t rest = text.size() - at; rest > 0) subtract(load(text.size() - 8) >> (8 * (8 - rest)));
  return count;
}

// Returns the length of the first character (1 to 4 bytes), or 0 if the first byte is broken. REQUIRES: text is not empty.
size_t Utf8Length(std::string_view text);

// Decodes the character at `*at` and moves `*at` past it. REQUIRES: *at < text.size().
uint32_t DecodeCharacter(std::string_view text, size_t* at);

// Appends `c`, or U+FFFD if `c` is not a code point.
void AppendCharacter(std::string& to, uint32_t c);

bool IsValidUtf8(std::string_view text);

// Returns `text` with every broken byte replaced by U+FFFD.
std::string RepairedUtf8(std::string_view text);

std::vector<uint32_t> Characters(std::string_view text);

// Returns the byte offset of character number `index`, or text.size() if there are fewer characters.
size_t CharacterOffset(std::string_view text, uint64_t index);

}  // namespace allot
