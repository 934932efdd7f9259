#pragma once
// UTF-8 as the selector language counts it: one code point is one character, a broken byte counts as U+FFFD.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace allot::cel {

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

inline bool IsCodePoint(uint32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }

// How many characters valid UTF-8 holds.
inline uint64_t CountCharacters(std::string_view text) {
  // All bytes but those that continue a character, eight at a time: sizes are what evaluations are charged for.
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
  // The last eight bytes, without those that were seen.
  if (const size_t rest = text.size() - at; rest > 0) subtract(load(text.size() - 8) >> (8 * (8 - rest)));
  return count;
}

// Reads the character at `*at` and moves `*at` behind it. REQUIRES: *at < text.size().
uint32_t DecodeCharacter(std::string_view text, size_t* at);

void AppendCharacter(std::string& to, uint32_t c);

bool IsValidUtf8(std::string_view text);

// `text` with every broken byte replaced by U+FFFD.
std::string RepairedUtf8(std::string_view text);

std::vector<uint32_t> Characters(std::string_view text);

// The byte at which character number `index` begins; text.size() when there are no more characters.
size_t CharacterOffset(std::string_view text, uint64_t index);

}  // namespace allot::cel
